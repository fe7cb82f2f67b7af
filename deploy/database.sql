-- PostgreSQL's image runs this once, when the volume is new. The processes get a role that owns their database and may
-- do no more. The superuser has no password then, so nobody can sign in as it from another container.
\getenv password POSTGRES_PASSWORD
create role troupe login nosuperuser nocreatedb nocreaterole password :'password';
create database troupe owner troupe;
alter role postgres password null;
