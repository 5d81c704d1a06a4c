-- What the chat platforms need to lose no event and to answer none twice: what came in, what went out, and who is where.

-- Which workspace belongs to which tenant. Read before a tenant is known, so it is the one table without tenant_id first;
-- on a distributed database it is a reference table. `sealed` holds the workspace's tokens: AES-256-GCM, bound to this row.
create table chat_workspaces (
  platform text not null,
  workspace text not null,
  tenant_id text not null,
  sealed text,
  installed_at timestamptz not null default now(),
  -- Uninstalled or its tokens revoked: its events are dropped, and its tokens are gone.
  revoked_at timestamptz,
  primary key (platform, workspace)
);

-- Each event once, from before it is acknowledged until it has ended. Events of one lane (a conversation) are worked on one
-- after another, in the order of `position`; the lease says that somebody living is at work on it.
create table chat_events (
  tenant_id text not null,
  event_key text not null,
  lane text not null,
  position text not null,
  -- Emptied when the event has ended; only its key is needed from then on.
  payload jsonb,
  received_at timestamptz not null default now(),
  attempts int not null default 0,
  try_after timestamptz not null default now(),
  lease_owner text,
  lease_until timestamptz,
  ended_at timestamptz,
  outcome text check (outcome in ('done', 'failed')),
  primary key (tenant_id, event_key)
);
create index chat_events_waiting on chat_events (tenant_id, lane, position) where ended_at is null;
create index chat_events_ended on chat_events (ended_at) where ended_at is not null;

-- Requests that were seen: the same signature again is a replay.
create table chat_requests (
  tenant_id text not null,
  signature text not null,
  seen_at timestamptz not null default now(),
  primary key (tenant_id, signature)
);
create index chat_requests_by_age on chat_requests (seen_at);

-- What was posted for an event, part by part. Written before the part is sent and completed after, so that who takes over
-- from a killed instance knows which part may be out already.
create table chat_messages (
  tenant_id text not null,
  event_key text not null,
  part int not null,
  message text,
  started_at timestamptz not null default now(),
  primary key (tenant_id, event_key, part)
);

-- The members of a conversation and what is known of a user, as read from the platform. Age ends them, and events at once:
-- what was asked of the platform before `invalidated_at` is not stored after it.
create table chat_members (
  tenant_id text not null,
  platform text not null,
  workspace text not null,
  conversation text not null,
  members text[] not null default '{}',
  read_at timestamptz not null default now(),
  invalidated_at timestamptz not null default '-infinity',
  primary key (tenant_id, platform, workspace, conversation)
);
create table chat_users (
  tenant_id text not null,
  platform text not null,
  workspace text not null,
  user_id text not null,
  facts jsonb not null default '{}',
  read_at timestamptz not null default now(),
  invalidated_at timestamptz not null default '-infinity',
  primary key (tenant_id, platform, workspace, user_id)
);

-- Up to which state of the index posted answers were looked through for evidence that their places may no longer see.
create table retraction_progress (
  tenant_id text primary key,
  index_version int not null,
  checked_at timestamptz not null default now()
);

grant select, insert, update, delete on
  chat_workspaces, chat_events, chat_requests, chat_messages, chat_members, chat_users, retraction_progress
  to verbatim_app;
