-- The foundation: permissions, documents, chunks, vectors, statistics, answers, logs.
--
-- tenant_id is first in every key and in every predicate, and no key, sequence or reference crosses tenants, so that the
-- tables can be distributed by tenant_id. Identifiers are text (uuid) or small integers counted per tenant.
-- Two roles do the work, made before the first migration: verbatim_reader (the retrieval path: select only, under
-- row-level security) and verbatim_app (everything else; the logs can only be inserted into).

create extension if not exists vector;

create table tenants (
  tenant_id text primary key,
  created_at timestamptz not null default now(),
  -- Counts what changes answers: a document live, replaced or gone, a layer, a level. Caches and eval items refer to it.
  index_version int not null default 0,
  last_acl_id int not null default 0,
  last_layer_id int not null default 0,
  last_embedder_id int not null default 0
);

-- People ------------------------------------------------------------------------------------------------------------

create table people (
  tenant_id text not null,
  email text not null check (email = lower(email)),
  name text not null default '',
  role text not null default 'intern' check (role in ('intern', 'analyst', 'manager', 'exec', 'admin')),
  active boolean not null default true,
  guest boolean not null default false,
  directory text not null,
  read_at timestamptz not null default now(),
  primary key (tenant_id, email)
);

-- Verified links from a principal of a chat platform or a source to a person: slack:user:T1/U1, confluence:user:5b10….
create table identities (
  tenant_id text not null,
  principal text not null,
  email text not null check (email = lower(email)),
  verified_at timestamptz not null default now(),
  primary key (tenant_id, principal)
);
create index identities_by_email on identities (tenant_id, email);

create table groups (
  tenant_id text not null,
  principal text not null,
  name text not null default '',
  directory text not null,
  read_at timestamptz not null default now(),
  primary key (tenant_id, principal)
);

-- member is a user's or a group's principal; expanded transitively at query time. Each directory states its own rows.
create table memberships (
  tenant_id text not null,
  member text not null,
  group_principal text not null,
  directory text not null,
  read_at timestamptz not null default now(),
  primary key (tenant_id, member, group_principal, directory)
);

-- ACLs --------------------------------------------------------------------------------------------------------------

-- A layer belongs to the node of the source that defines it. Restricting an ancestor page changes its layer's
-- principals here; no chunk is rewritten. An unresolved layer is satisfied by nobody.
create table acl_layers (
  tenant_id text not null,
  layer_id int not null,
  node text not null,
  resolved boolean not null default true,
  read_at timestamptz not null default now(),
  primary key (tenant_id, layer_id),
  unique (tenant_id, node)
);

create table acl_layer_principals (
  tenant_id text not null,
  layer_id int not null,
  principal text not null,
  -- Drive's expirationTime: a predicate at query time, since nobody tells us when it passes.
  expires_at timestamptz,
  primary key (tenant_id, layer_id, principal)
);
create index acl_layer_principals_by_principal on acl_layer_principals (tenant_id, principal, layer_id);

-- Distinct ACLs, interned. acl_id 0 is reserved: rows that carry it are visible to nobody (quarantine).
create table acls (
  tenant_id text not null,
  acl_id int not null check (acl_id > 0),
  fingerprint text not null,
  access_level text not null check (access_level in ('public', 'internal', 'confidential', 'restricted')),
  layer_ids int[] not null check (cardinality(layer_ids) > 0),
  denied text[] not null default '{}',
  primary key (tenant_id, acl_id),
  unique (tenant_id, fingerprint)
);

-- All principals that one member of an audience holds. {"person": email} is looked up: unknown or inactive people hold
-- nothing, guests hold neither a role nor verbatim:everyone. {"principals": […]} is taken as given. Groups are expanded
-- transitively; `union` ends at cycles.
create function held_principals(p_tenant text, p_member jsonb) returns text[]
language sql stable as $$
  with recursive seed as (
    select 'verbatim:user:' || p.email as principal
      from people p where p.tenant_id = p_tenant and p.email = lower(p_member ->> 'person') and p.active
    union all
    select i.principal
      from identities i join people p on p.tenant_id = i.tenant_id and p.email = i.email
      where p.tenant_id = p_tenant and p.email = lower(p_member ->> 'person') and p.active
    union all
    select unnest(array['verbatim:everyone', 'verbatim:role:' || p.role])
      from people p where p.tenant_id = p_tenant and p.email = lower(p_member ->> 'person') and p.active and not p.guest
    union all
    select jsonb_array_elements_text(p_member -> 'principals')
  ), held as (
    select principal from seed
    union
    select m.group_principal from held h join memberships m on m.tenant_id = p_tenant and m.member = h.principal
  )
  select coalesce(array_agg(principal order by principal), '{}') from held
$$;

-- The ACLs that every member of the audience satisfies: one principal of every layer, none of the denied. Members with
-- equal principals count once. An empty audience sees nothing.
create function visible_acls(p_tenant text, p_audience jsonb) returns table (acl_id int, access_level text)
language plpgsql stable as $$
declare
  v_held text[];
  v_satisfied int[];
  v_visible int[];
begin
  for v_held in select distinct held_principals(p_tenant, member) from jsonb_array_elements(p_audience) member loop
    select coalesce(array_agg(distinct l.layer_id), '{}') into v_satisfied
      from acl_layer_principals lp join acl_layers l on l.tenant_id = lp.tenant_id and l.layer_id = lp.layer_id
      where lp.tenant_id = p_tenant and lp.principal = any(v_held) and l.resolved
        and (lp.expires_at is null or lp.expires_at > now());
    select coalesce(array_agg(a.acl_id), '{}') into v_visible
      from acls a
      where a.tenant_id = p_tenant and a.layer_ids <@ v_satisfied and not a.denied && v_held
        and (v_visible is null or a.acl_id = any(v_visible));
    exit when v_visible = '{}';
  end loop;
  return query select a.acl_id, a.access_level from acls a
    where a.tenant_id = p_tenant and a.acl_id = any(v_visible) order by a.acl_id;
end
$$;

-- Documents ---------------------------------------------------------------------------------------------------------

-- A source states how old what is known of it may get; past its promise it is not cited. Null = the store itself is the
-- truth (uploads), which cannot be stale.
create table sources (
  tenant_id text not null,
  source_id text not null,
  kind text not null,
  content_checked_at timestamptz,
  permissions_checked_at timestamptz,
  promised_content_lag_seconds int,
  promised_permission_lag_seconds int,
  primary key (tenant_id, source_id)
);

create table documents (
  tenant_id text not null,
  document_id text not null,
  source_id text not null,
  uri text not null,
  title text not null default '',
  media_type text not null default '',
  -- The text search configuration belongs to the document.
  language text not null default 'english',
  state text not null check (state in ('pending', 'live', 'quarantined', 'failed', 'deleted')),
  -- The live version (0: none yet), and the one on its way.
  version int not null default 0,
  pending_version int,
  -- 0 until the first version is in. The level's layer is one of the ACL's.
  acl_id int not null default 0,
  access_level text not null check (access_level in ('public', 'internal', 'confidential', 'restricted')),
  department text,
  classification text[] not null default '{}',
  effective_from timestamptz,
  effective_to timestamptz,
  failure_code text,
  failure_reason text,
  -- When the source says it happened, when it was seen, when it took effect in answers.
  source_changed_at timestamptz,
  seen_at timestamptz not null default now(),
  took_effect_at timestamptz,
  -- Who is at work on the pending version, and until when that is believed without a sign of life.
  lease_owner text,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  created_by text not null default '',
  primary key (tenant_id, document_id)
);
-- A tombstone keeps its row; the same URI may come back as a new document.
create unique index documents_by_uri on documents (tenant_id, source_id, uri) where state <> 'deleted';
create index documents_by_state on documents (tenant_id, state);
create index documents_pending on documents (lease_until) where pending_version is not null;

-- The truth from which everything else can be made again: the original and its text. Content of a replaced or forgotten
-- version is emptied, its row stays.
create table document_versions (
  tenant_id text not null,
  document_id text not null,
  version int not null,
  sha256 text not null,
  file_name text not null default '',
  media_type text not null default '',
  byte_size int not null,
  original bytea,
  text text,
  blocks jsonb,
  pages jsonb,
  properties jsonb,
  -- How the submission was to be read: its ACL request, title and dates, applied together with the content.
  submission jsonb not null default '{}',
  source_changed_at timestamptz,
  seen_at timestamptz not null default now(),
  took_effect_at timestamptz,
  primary key (tenant_id, document_id, version)
);

create table tombstones (
  tenant_id text not null,
  document_id text not null,
  source_id text not null,
  uri text not null,
  deleted_at timestamptz not null default now(),
  deleted_by text not null,
  receipt jsonb not null,
  primary key (tenant_id, document_id)
);

-- The checkpoint's question, put the other way round than visible_acls and on purpose without it: for each document, is
-- there a member of the audience and a layer that this member fails, or a denial that hits? failed_layer is for admins.
create function checkpoint_documents(p_tenant text, p_audience jsonb, p_document_ids text[])
returns table (document_id text, version int, state text, allowed boolean, failed_layer text, in_effect boolean,
  source_id text, stale boolean, content_age_seconds int, permission_age_seconds int)
language sql stable as $$
  with member as (
    select distinct held_principals(p_tenant, m) as held from jsonb_array_elements(p_audience) m
  ), failing as (
    select d.document_id, min(l.node) as node
      from documents d
      join acls a on a.tenant_id = d.tenant_id and a.acl_id = d.acl_id
      cross join member
      cross join unnest(a.layer_ids) as needed(layer_id)
      left join acl_layers l on l.tenant_id = d.tenant_id and l.layer_id = needed.layer_id
      where d.tenant_id = p_tenant and d.document_id = any(p_document_ids)
        and (a.denied && member.held or l.layer_id is null or not l.resolved or not exists (
          select 1 from acl_layer_principals lp
            where lp.tenant_id = d.tenant_id and lp.layer_id = needed.layer_id and lp.principal = any(member.held)
              and (lp.expires_at is null or lp.expires_at > now())))
      group by d.document_id
  )
  select d.document_id, d.version, d.state,
      f.document_id is null and a.acl_id is not null and exists (select 1 from member),
      f.node,
      (d.effective_from is null or d.effective_from <= now()) and (d.effective_to is null or d.effective_to > now()),
      d.source_id,
      coalesce(extract(epoch from now() - s.content_checked_at) > s.promised_content_lag_seconds, false)
        or coalesce(extract(epoch from now() - s.permissions_checked_at) > s.promised_permission_lag_seconds, false)
        or (s.promised_content_lag_seconds is not null and s.content_checked_at is null)
        or (s.promised_permission_lag_seconds is not null and s.permissions_checked_at is null),
      greatest(0, extract(epoch from now() - coalesce(s.content_checked_at, d.took_effect_at)))::int,
      greatest(0, coalesce(extract(epoch from now() - s.permissions_checked_at), 0))::int
    from documents d
    left join acls a on a.tenant_id = d.tenant_id and a.acl_id = d.acl_id
    left join failing f on f.document_id = d.document_id
    left join sources s on s.tenant_id = d.tenant_id and s.source_id = d.source_id
    where d.tenant_id = p_tenant and d.document_id = any(p_document_ids)
$$;

-- Chunks ------------------------------------------------------------------------------------------------------------

-- BM25 without an extension: term weights as a sparse vector, the query's inverse document frequencies are another, the
-- negative inner product is the score (DESIGN: exactly BM25, 2.6 to 20 ms at 64k chunks). Dimensions are 28 bits of md5,
-- the same on every server and version; two terms of one chunk share one with a chance of about 1 in 10^5.
create function term_index(p_lexeme text) returns int
language sql immutable strict parallel safe as $$
  select ('x' || substr(md5(p_lexeme), 1, 7))::bit(28)::int + 1
$$;

-- k1 1.2 and b 0.75 (Robertson and Zaragoza, 2009). The average length is a constant since chunks are nearly uniform: a
-- changing one would mean to weigh all chunks again.
create function bm25_weights(p_tsv tsvector, p_average_length real) returns sparsevec
language sql immutable strict parallel safe as $$
  with term as (
    select term_index(lexeme) as index, coalesce(cardinality(positions), 1)::real as frequency from unnest(p_tsv)
  ), total as (
    select sum(frequency) as length from term
  ), weight as (
    select index, sum(frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / p_average_length))) as value
      from term, total group by index
  )
  select coalesce('{' || string_agg(index || ':' || value, ',' order by index) || '}/268435456', '{}/268435456')::sparsevec
    from weight
$$;

create table chunks (
  tenant_id text not null,
  access_level text not null,
  chunk_id text not null,
  document_id text not null,
  version int not null,
  ordinal int not null,
  acl_id int not null,
  effective_from timestamptz,
  effective_to timestamptz,
  start_offset int not null,
  end_offset int not null,
  section_start int not null,
  section_end int not null,
  heading_path text[] not null,
  page int,
  text text not null,
  tsv tsvector not null,
  terms sparsevec not null,
  primary key (tenant_id, access_level, chunk_id)
) partition by list (access_level);

-- Vectors of several embedders side by side; one embedder's are searched at a time. A chunk without a row here failed
-- to embed, is found by its words, and is tried again.
create table chunk_embeddings (
  tenant_id text not null,
  access_level text not null,
  embedder_id int not null,
  chunk_id text not null,
  document_id text not null,
  acl_id int not null,
  effective_from timestamptz,
  effective_to timestamptz,
  embedding halfvec not null,
  primary key (tenant_id, access_level, embedder_id, chunk_id)
) partition by list (access_level);

create table chunks_public partition of chunks for values in ('public');
create table chunks_internal partition of chunks for values in ('internal');
create table chunks_confidential partition of chunks for values in ('confidential');
create table chunks_restricted partition of chunks for values in ('restricted');
create table chunk_embeddings_public partition of chunk_embeddings for values in ('public');
create table chunk_embeddings_internal partition of chunk_embeddings for values in ('internal');
create table chunk_embeddings_confidential partition of chunk_embeddings for values in ('confidential');
create table chunk_embeddings_restricted partition of chunk_embeddings for values in ('restricted');

create index chunks_by_term on chunks using gin (tsv);
create index chunks_by_acl on chunks (tenant_id, acl_id);
create index chunks_by_document on chunks (tenant_id, document_id);
create index chunk_embeddings_by_acl on chunk_embeddings (tenant_id, embedder_id, acl_id);
create index chunk_embeddings_by_document on chunk_embeddings (tenant_id, document_id);

create table embedders (
  tenant_id text not null,
  embedder_id int not null,
  name text not null,
  dimensions int not null,
  state text not null check (state in ('active', 'building', 'retired')),
  created_at timestamptz not null default now(),
  primary key (tenant_id, embedder_id),
  unique (tenant_id, name)
);

-- Refreshed in the background; slightly old figures change scores slightly.
create table term_statistics (
  tenant_id text not null,
  lexeme text not null,
  chunk_count int not null,
  primary key (tenant_id, lexeme)
);

-- What the choice between exact and approximate search is made from.
create table acl_statistics (
  tenant_id text not null,
  acl_id int not null,
  chunk_count int not null,
  primary key (tenant_id, acl_id)
);

create table corpus_statistics (
  tenant_id text primary key,
  chunk_count int not null,
  languages text[] not null,
  index_version int not null,
  refreshed_at timestamptz not null default now()
);

-- Answers and logs --------------------------------------------------------------------------------------------------

-- What was said, so that it can be shown again, followed up and taken back. The quotes are emptied when their document
-- goes.
create table answers (
  tenant_id text not null,
  answer_id text not null,
  thread_id text,
  asked_at timestamptz not null default now(),
  asker text not null,
  audience jsonb not null,
  question text not null,
  body jsonb not null,
  visible_acl_ids int[] not null,
  index_version int not null,
  retracted_at timestamptz,
  primary key (tenant_id, answer_id)
);
create index answers_by_thread on answers (tenant_id, thread_id, asked_at) where thread_id is not null;

create table answer_citations (
  tenant_id text not null,
  answer_id text not null,
  number int not null,
  document_id text not null,
  document_version int not null,
  chunk_id text not null,
  primary key (tenant_id, answer_id, number)
);
create index answer_citations_by_document on answer_citations (tenant_id, document_id);

-- Every candidate with its contributions and the stage that dropped it; no text. Kept for a configured time.
create table answer_traces (
  tenant_id text not null,
  answer_id text not null,
  asked_at timestamptz not null default now(),
  candidates jsonb not null,
  primary key (tenant_id, answer_id)
);
create index answer_traces_by_age on answer_traces (tenant_id, asked_at);

create table question_log (
  tenant_id text not null,
  answer_id text not null,
  asked_at timestamptz not null default now(),
  asker text not null,
  audience_size int not null,
  question text not null,
  status text not null,
  refusal text,
  retrieved int not null,
  dropped_by_permission int not null,
  cited int not null,
  unknown_citations int not null,
  degraded text[] not null,
  timings_ms jsonb not null,
  cost_usd double precision not null,
  primary key (tenant_id, answer_id)
);
create index question_log_by_time on question_log (tenant_id, asked_at);

create table audit_log (
  tenant_id text not null,
  audit_id text not null,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  target text not null,
  details jsonb not null default '{}',
  primary key (tenant_id, audit_id)
);
create index audit_log_by_time on audit_log (tenant_id, at);

-- Rights ------------------------------------------------------------------------------------------------------------

grant usage on schema public to verbatim_reader, verbatim_app;

grant select, insert, update, delete on
  tenants, people, identities, groups, memberships, acl_layers, acl_layer_principals, acls, sources, documents,
  document_versions, tombstones, chunks, chunk_embeddings, embedders, term_statistics, acl_statistics,
  corpus_statistics, answers, answer_citations, answer_traces
  to verbatim_app;
grant select, insert on question_log, audit_log to verbatim_app;

grant select on
  sources, documents, chunks, chunk_embeddings, embedders, term_statistics, acl_statistics, corpus_statistics
  to verbatim_reader;

-- The second wall: what a query forgot to filter, the database still does not give. The settings are read once a query
-- (a scalar subquery), and integer equality is leakproof, so the indexes stay in use. Without settings nothing is seen.
alter table documents enable row level security;
alter table chunks enable row level security;
alter table chunk_embeddings enable row level security;
alter table sources enable row level security;
alter table embedders enable row level security;
alter table term_statistics enable row level security;
alter table acl_statistics enable row level security;
alter table corpus_statistics enable row level security;

create function setting_tenant() returns text language sql stable as $$
  select nullif(current_setting('verbatim.tenant_id', true), '')
$$;
create function setting_acl_ids() returns int[] language sql stable as $$
  select coalesce(nullif(current_setting('verbatim.visible_acl_ids', true), ''), '{}')::int[]
$$;

create policy reader on documents for select to verbatim_reader
  using (tenant_id = (select setting_tenant()) and acl_id = any((select setting_acl_ids())::int[]));
create policy reader on chunks for select to verbatim_reader
  using (tenant_id = (select setting_tenant()) and acl_id = any((select setting_acl_ids())::int[]));
create policy reader on chunk_embeddings for select to verbatim_reader
  using (tenant_id = (select setting_tenant()) and acl_id = any((select setting_acl_ids())::int[]));
create policy reader on sources for select to verbatim_reader using (tenant_id = (select setting_tenant()));
create policy reader on embedders for select to verbatim_reader using (tenant_id = (select setting_tenant()));
create policy reader on term_statistics for select to verbatim_reader using (tenant_id = (select setting_tenant()));
create policy reader on acl_statistics for select to verbatim_reader using (tenant_id = (select setting_tenant()));
create policy reader on corpus_statistics for select to verbatim_reader using (tenant_id = (select setting_tenant()));

-- The lexical search. Under row-level security the planner may not use the term index, because `@@` is not leakproof: it
-- would read every visible chunk. So this runs as the owner and is itself the wall: it gives nothing of another tenant than
-- the setting's and of no ACL that the setting does not hold, whatever its caller asks for. `execute` plans with the
-- values at hand, which decide between the term index and the ACL index.
create function match_chunks(
  p_tenant text, p_levels text[], p_acl_ids int[], p_candidates tsquery, p_weights sparsevec, p_limit int
) returns table (chunk_id text, document_id text, score double precision)
language plpgsql stable security definer set search_path from current as $$
declare
  v_acl_ids int[];
begin
  if p_tenant is distinct from setting_tenant() then
    return;
  end if;
  select coalesce(array_agg(id), '{}') into v_acl_ids
    from (select unnest(p_acl_ids) intersect select unnest(setting_acl_ids())) as visible (id);
  return query execute
    'select chunk_id, document_id, -(terms <#> $5) from chunks
       where tenant_id = $1 and access_level = any($2) and acl_id = any($3) and tsv @@ $4
         and (effective_from is null or effective_from <= now()) and (effective_to is null or effective_to > now())
       order by terms <#> $5, chunk_id limit $6'
    using p_tenant, p_levels, v_acl_ids, p_candidates, p_weights, p_limit;
end
$$;
revoke execute on function match_chunks from public;
grant execute on function match_chunks to verbatim_reader;

create policy app on documents to verbatim_app using (true) with check (true);
create policy app on chunks to verbatim_app using (true) with check (true);
create policy app on chunk_embeddings to verbatim_app using (true) with check (true);
create policy app on sources to verbatim_app using (true) with check (true);
create policy app on embedders to verbatim_app using (true) with check (true);
create policy app on term_statistics to verbatim_app using (true) with check (true);
create policy app on acl_statistics to verbatim_app using (true) with check (true);
create policy app on corpus_statistics to verbatim_app using (true) with check (true);
