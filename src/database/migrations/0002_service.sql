-- What the service and the chat platforms keep: passwords, channels, where answers were posted, what people thought of them.

-- Who may sign in with a password (bcrypt). The directory decides what they may do; a person without a row here signs in elsewhere.
create table credentials (
  tenant_id text not null,
  email text not null check (email = lower(email)),
  password_hash text not null,
  changed_at timestamptz not null default now(),
  primary key (tenant_id, email)
);

-- A creating request is done once: its key, a digest of what was asked, and what was answered.
create table idempotency_keys (
  tenant_id text not null,
  actor text not null,
  key text not null,
  request_digest text not null,
  -- Null while the first request is being worked on.
  status int,
  response jsonb,
  created_at timestamptz not null default now(),
  primary key (tenant_id, actor, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Channels of the product's own chat page. A member is a user's or a group's principal, expanded when a question is asked.
create table channels (
  tenant_id text not null,
  channel_id text not null,
  name text not null,
  purpose text not null default '',
  directory text not null default 'web',
  primary key (tenant_id, channel_id)
);
create table channel_members (
  tenant_id text not null,
  channel_id text not null,
  member text not null,
  primary key (tenant_id, channel_id, member)
);

-- Where an answer stands, so that it can be edited when its evidence goes. `message` is the platform's id of the posted
-- message; an answer that was split over several messages has several rows.
create table posted_answers (
  tenant_id text not null,
  platform text not null,
  workspace text not null default '',
  conversation text not null,
  message text not null,
  thread text not null,
  answer_id text not null,
  posted_at timestamptz not null default now(),
  -- pending: the evidence went and the message still shows it; done: replaced by the notice; failed: given up, with the reason.
  retraction text check (retraction in ('pending', 'done', 'failed')),
  retraction_error text,
  retracted_at timestamptz,
  primary key (tenant_id, platform, workspace, conversation, message)
);
create index posted_answers_by_answer on posted_answers (tenant_id, answer_id);
create index posted_answers_by_place on posted_answers (tenant_id, platform, workspace, conversation, posted_at);
create index posted_answers_to_retract on posted_answers (tenant_id, platform) where retraction = 'pending';

-- One opinion a person and answer; a later one replaces it. Principals, audience and index version as they were when the
-- answer was given stand with the answer.
create table feedback (
  tenant_id text not null,
  answer_id text not null,
  given_by text not null,
  verdict text not null check (verdict in ('up', 'down')),
  reason text check (reason in
    ('wrong', 'outdated', 'incomplete', 'should_have_refused', 'should_have_answered', 'not_allowed_to_see')),
  comment text not null default '',
  platform text not null,
  given_at timestamptz not null default now(),
  withdrawn_at timestamptz,
  primary key (tenant_id, answer_id, given_by)
);

-- What the asker held when the answer was given: evaluation asks again as the same reader.
alter table answers add column asker_principals text[] not null default '{}';
-- The document's notice: why an answer is no longer shown.
alter table answers add column retraction_reason text;
create index answers_by_asker on answers (tenant_id, asker, asked_at);

alter table question_log add column route text not null default '';
alter table question_log add column confidence double precision;
alter table question_log add column cached boolean not null default false;
alter table question_log add column model text not null default '';
alter table question_log add column tokens jsonb not null default '{}';

grant select, insert, update, delete on
  credentials, idempotency_keys, channels, channel_members, posted_answers, feedback
  to verbatim_app;
