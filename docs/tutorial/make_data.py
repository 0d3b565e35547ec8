#!/usr/bin/env python3
"""Writes a messy file of synthetic diagnoses: 200,000 rows of the half-year from April to September 2024, in Windows-1252.

    python3 make_data.py [FILE] [ROWS]

Nobody is in it. The mess is that of real registers: several spellings of a county, capital letters, spaces, abbreviations, empty
fields, ages of 999, two formats of dates, persons with several rows, a diagnosis with letters that are not ASCII. The same
arguments write the same bytes.
"""

import datetime
import random
import sys

# The 36 counties of Oregon, and about how many in a thousand live there.
COUNTIES = {
    "Baker": 4, "Benton": 22, "Clackamas": 99, "Clatsop": 10, "Columbia": 12, "Coos": 15, "Crook": 6, "Curry": 5,
    "Deschutes": 47, "Douglas": 26, "Gilliam": 1, "Grant": 2, "Harney": 2, "Hood River": 6, "Jackson": 53, "Jefferson": 6,
    "Josephine": 21, "Klamath": 16, "Lake": 2, "Lane": 90, "Lincoln": 12, "Linn": 30, "Malheur": 7, "Marion": 82,
    "Morrow": 3, "Multnomah": 190, "Polk": 21, "Sherman": 1, "Tillamook": 6, "Umatilla": 19, "Union": 6, "Wallowa": 2,
    "Wasco": 6, "Washington": 141, "Wheeler": 1, "Yamhill": 25,
}
SHORT = {"Multnomah": "MULT", "Washington": "WASH CO", "Clackamas": "Clackamas County", "Hood River": "HoodRiver"}
DIAGNOSES = {
    "Asthma": 240, "Diabetes": 200, "Hypertension": 260, "Migraine": 110, "Depression": 130, "Ménière": 6,
    "Epilepsy": 34, "Other or unknown": 20,
}
UNCODED = ["", "see notes", "dx pending", "n/a"]
FIRST, DAYS = datetime.date(2024, 4, 1), 183


def county(draw):
    name = draw.choices(list(COUNTIES), list(COUNTIES.values()))[0]
    kind = draw.random()
    if kind < 0.08:
        return name.upper()
    if kind < 0.12:
        return " " + name + " "
    if kind < 0.14:
        return name.lower()
    if kind < 0.17 and name in SHORT:
        return SHORT[name]
    if kind < 0.175:
        return draw.choice(["", "Out of state", "unk"])
    return name


def age(draw):
    kind = draw.random()
    if kind < 0.008:
        return "999"
    if kind < 0.016:
        return ""
    years = min(int(draw.triangular(0, 104, 48)), 104)
    return f"{years}.0" if kind < 0.05 else str(years)


def sex(draw):
    kind = draw.random()
    if kind < 0.006:
        return ""
    person = draw.choice("FM")
    if kind < 0.05:
        return person.lower()
    if kind < 0.08:
        return {"F": "Female", "M": "Male"}[person]
    return person


def diagnosis(draw):
    if draw.random() < 0.02:
        return draw.choice(UNCODED)
    name = draw.choices(list(DIAGNOSES), list(DIAGNOSES.values()))[0]
    return name.upper() if draw.random() < 0.03 else name


def day(draw):
    when = FIRST + datetime.timedelta(days=draw.randrange(DAYS))
    return when.strftime("%m/%d/%Y") if draw.random() < 0.3 else when.isoformat()


def main():
    file = sys.argv[1] if len(sys.argv) > 1 else "diagnoses.csv"
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
    draw = random.Random(2024)
    # Most patients have one row, some a few: the same person is drawn again now and then.
    patients = max(rows * 7 // 10, 1)
    with open(file, "w", encoding="windows-1252", newline="") as out:
        out.write("row_id,patient_id,county,age,sex,diagnosis,dx_date\n")
        for row in range(rows):
            patient = draw.randrange(patients)
            fields = [f"R{row:07}", f"P{patient:06}", county(draw), age(draw), sex(draw), diagnosis(draw), day(draw)]
            out.write(",".join(fields) + "\n")


main()
