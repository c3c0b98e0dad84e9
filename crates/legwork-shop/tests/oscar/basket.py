"""Prints the lines of all open baskets, read from the shop's database: quantity, product, owner.

It knows nothing of the shop's code, so it can contradict what its pages show.
"""

import os
import sqlite3

database = sqlite3.connect(f"file:{os.environ['OSCAR_FOLDER']}/shop.sqlite3?mode=ro", uri=True)
LINES = """
    select line.quantity, product.title, coalesce(customer.email, '')
    from basket_line line
    join basket_basket basket on basket.id = line.basket_id
    join catalogue_product product on product.id = line.product_id
    left join auth_user customer on customer.id = basket.owner_id
    where basket.status = 'Open' order by product.title
"""
for quantity, product, owner in database.execute(LINES):
    print(quantity, product, owner, sep="\t")
print("orders", *database.execute("select count(*) from order_order").fetchone(), sep="\t")
