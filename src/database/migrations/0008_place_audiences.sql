-- Who sees a conversation of a chat platform now. What was posted there stands in its history, so whoever joins later sees
-- it too: the answers of a conversation are held against this audience beside the one that they were made for.
create table place_audiences (
  tenant_id text not null,
  platform text not null,
  workspace text not null,
  conversation text not null,
  audience jsonb not null,
  changed_at timestamptz not null default now(),
  primary key (tenant_id, platform, workspace, conversation)
);

grant select, insert, update, delete on place_audiences to verbatim_app;
