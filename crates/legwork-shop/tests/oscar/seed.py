"""Fills an empty folder: tables, products, a customer, a search index. Run once, by scripts/setup."""

import csv
import os
from decimal import Decimal
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")

import django  # noqa: E402

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from oscar.core.compat import get_user_model  # noqa: E402
from oscar.core.loading import get_model  # noqa: E402

CUSTOMER = ("ada@example.com", "only-for-this-test")


def main():
    call_command("migrate", run_syncdb=True, interactive=False, verbosity=0)
    with transaction.atomic():
        products()
        email, password = CUSTOMER
        get_user_model().objects.create_user(username="ada", email=email, password=password)
    call_command("rebuild_index", interactive=False, verbosity=0)


def products():
    kind = get_model("catalogue", "ProductClass").objects.create(name="Groceries", requires_shipping=True)
    partner = get_model("partner", "Partner").objects.create(name="The shop")
    get_model("address", "Country").objects.create(
        iso_3166_1_a2="GB", printable_name="United Kingdom", is_shipping_country=True
    )
    shelf, category = {}, get_model("catalogue", "Category")
    with open(Path(__file__).parent / "products.csv", newline="") as table:
        for number, row in enumerate(csv.DictReader(table), start=1):
            name = row["category"]
            if name not in shelf:
                shelf[name] = category.add_root(name=name)
            product = get_model("catalogue", "Product").objects.create(
                product_class=kind, title=row["name"], upc=f"{number:06}", description=f"{row['name']}, from {name}."
            )
            product.categories.add(shelf[name])
            get_model("partner", "StockRecord").objects.create(
                product=product,
                partner=partner,
                partner_sku=f"sku-{number}",
                price=Decimal(row["price"]),
                num_in_stock=int(row["stock"]),
            )


main()
