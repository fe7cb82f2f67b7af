-- What the laws of 2026 and 2027 require to be reported each year, per app and UTC day. It contains no texts and no
-- people, so an erasure changes nothing here.
create table safety_counts (
  app_id text not null,
  day date not null,
  -- crisis_referrals | emergency_referrals | danger_referrals | threat_referrals | ai_disclosures | break_reminders
  kind text not null,
  count bigint not null,
  primary key (app_id, day, kind)
);
