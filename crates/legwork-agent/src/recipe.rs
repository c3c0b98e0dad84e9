//! Recipes: what was done once is done again without a model.
