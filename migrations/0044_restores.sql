-- A hold on all deliveries and on proactive messages: a restored server delivers nothing until an operator resumes it.
alter table telegram_holds drop constraint telegram_holds_check;
alter table telegram_holds add constraint telegram_holds_check
  check (kind = 'telegram' or (kind = 'app' and scope <> '*') or (kind = 'delivery' and scope = '*'));
