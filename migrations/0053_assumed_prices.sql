-- compatible with 0045
-- Whether the price of the model behind an entry is not known: then its amount is an assumption. Null: known, or the
-- entry of a turn, whose stages tell.
alter table ledger add column unpriced boolean;
-- Whether that is so for an entry that was summed up.
alter table ledger_days add column unpriced boolean not null default false;
