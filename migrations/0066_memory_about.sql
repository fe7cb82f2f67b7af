-- compatible with 0065
-- Whom a memory is about, if that is neither the person nor the character: {"name": ..., "relation": ...}.
alter table memories add column about json;
