-- Signing in and out on all instances alike, and an audit log that only grows.

-- Sessions that were signed out before their token runs out. `token_id` is the token's `jti`.
create table ended_sessions (
  tenant_id text not null,
  token_id text not null,
  expires_at timestamptz not null,
  primary key (tenant_id, token_id)
);
create index ended_sessions_by_expiry on ended_sessions (expires_at);

-- Tries to sign in, until their window ends. `subject` is a digest of whom they count for: a person and a network together,
-- a network, a person, or (without tries) a network that the person has signed in from.
create table sign_in_tries (
  tenant_id text not null,
  subject text not null,
  tries int not null,
  until timestamptz not null,
  primary key (tenant_id, subject)
);
create index sign_in_tries_by_end on sign_in_tries (until);

grant select, insert, update, delete on ended_sessions, sign_in_tries to verbatim_app;

-- The roles that do the work may only insert and select; this holds for the owner of the tables too, who has every right. What
-- law or an agreement says must go is a migration's business, with `alter table audit_log disable trigger audit_log_only_grows`.
create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log only grows: % is refused', lower(tg_op) using errcode = 'insufficient_privilege';
end $$;
create trigger audit_log_only_grows before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
