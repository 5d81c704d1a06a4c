-- What every question asks of the database, as functions whose plans are kept.
--
-- At 10,000 chunks these statements took longer to plan than to run (a read of chunks: 3.3 ms of 6.2): four partitions, each
-- under row-level security, planned anew for each question; a function in SQL is planned at every call before PostgreSQL 18.
-- Plans of plpgsql functions last as long as the session, through any pooler and in the one session of the embedded server.
--
-- A kept plan outlives the tables that it was made for: on a new database it would scan them from end to end, and go on
-- doing so. Hence `enable_seqscan = off`, which leaves it the indexes, whatever the sizes, and look-ups by a whole key in
-- `lateral (… offset 0)`: planned without figures of the tables, a join of 50 chunks with 600 documents read each chunk 600
-- times, six seconds long. Functions that decide about
-- rights do the same as before; the walls are the same too: those here run with their caller's rights.

-- Transitive by steps: what is held, then the groups of what came new, till nothing does.
create or replace function held_principals(p_tenant text, p_member jsonb) returns text[]
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  v_person text := lower(p_member ->> 'person');
  v_new text[];
  v_held text[];
begin
  v_new := array(
    select 'verbatim:user:' || p.email
      from people p where p.tenant_id = p_tenant and p.email = v_person and p.active
    union
    select i.principal
      from identities i join people p on p.tenant_id = i.tenant_id and p.email = i.email
      where i.tenant_id = p_tenant and i.email = v_person and p.active
    union
    select unnest(array['verbatim:everyone', 'verbatim:role:' || p.role])
      from people p where p.tenant_id = p_tenant and p.email = v_person and p.active and not p.guest
    union
    select jsonb_array_elements_text(p_member -> 'principals')
  );
  v_held := v_new;
  while cardinality(v_new) > 0 loop
    v_new := array(
      select distinct m.group_principal from memberships m
        where m.tenant_id = p_tenant and m.member = any(v_new) and m.group_principal <> all(v_held)
    );
    v_held := v_held || v_new;
  end loop;
  -- In order, since members with equal principals count once. Nobody holds a null.
  return array(select principal from unnest(v_held) principal where principal is not null order by principal);
end
$$;

alter function visible_acls(text, jsonb) set plan_cache_mode = force_generic_plan;
alter function visible_acls(text, jsonb) set enable_seqscan = off;

-- Asked once an ACL and not once a document: candidates share theirs.
create or replace function checkpoint_documents(p_tenant text, p_audience jsonb, p_document_ids text[])
returns table (document_id text, version int, state text, allowed boolean, failed_layer text, in_effect boolean,
  source_id text, stale boolean, content_age_seconds int, permission_age_seconds int)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query with member as (
    select distinct held_principals(p_tenant, m) as held from jsonb_array_elements(p_audience) m
  ), candidate as (
    select d.* from (select distinct unnest(p_document_ids) as id) asked cross join lateral (
      select * from documents d where d.tenant_id = p_tenant and d.document_id = asked.id offset 0) d
  ), failing as (
    select a.acl_id, min(l.node) as node
      from (select distinct c.acl_id from candidate c) asked
      join acls a on a.tenant_id = p_tenant and a.acl_id = asked.acl_id
      cross join member
      cross join unnest(a.layer_ids) as needed(layer_id)
      left join acl_layers l on l.tenant_id = p_tenant and l.layer_id = needed.layer_id
      where a.denied && member.held or l.layer_id is null or not l.resolved or not exists (
          select 1 from acl_layer_principals lp
            where lp.tenant_id = p_tenant and lp.layer_id = needed.layer_id and lp.principal = any(member.held)
              and (lp.expires_at is null or lp.expires_at > now()))
      group by a.acl_id
  )
  select d.document_id, d.version, d.state,
      f.acl_id is null and a.acl_id is not null and exists (select 1 from member),
      f.node,
      (d.effective_from is null or d.effective_from <= now()) and (d.effective_to is null or d.effective_to > now()),
      d.source_id,
      coalesce(extract(epoch from now() - s.content_checked_at) > s.promised_content_lag_seconds, false)
        or coalesce(extract(epoch from now() - s.permissions_checked_at) > s.promised_permission_lag_seconds, false)
        or (s.promised_content_lag_seconds is not null and s.content_checked_at is null)
        or (s.promised_permission_lag_seconds is not null and s.permissions_checked_at is null),
      greatest(0, extract(epoch from now() - coalesce(s.content_checked_at, d.took_effect_at)))::int,
      greatest(0, coalesce(extract(epoch from now() - s.permissions_checked_at), 0))::int
    from candidate d
    left join acls a on a.tenant_id = d.tenant_id and a.acl_id = d.acl_id
    left join failing f on f.acl_id = d.acl_id
    left join sources s on s.tenant_id = d.tenant_id and s.source_id = d.source_id;
end
$$;

-- Lexemes of all forms of each word of a question by every text search configuration of the tenant's documents, and its
-- identifiers as they are (numbered behind the words), with what the statistics know of them.
create function look_up_terms(
  p_tenant text, p_forms text[], p_form_words int[], p_identifiers text[], p_word_count int
) returns table (lexeme text, word int, index int, chunk_count int, total int)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
declare
  v_languages text[] := '{english}';
  v_total int;
begin
  select s.languages, s.chunk_count into v_languages, v_total from corpus_statistics s where s.tenant_id = p_tenant;
  return query
    select l.lexeme, l.word, term_index(l.lexeme), t.chunk_count, v_total
      from (
        select u.lexeme, min(f.word) as word
          from unnest(p_forms, p_form_words) as f(form, word)
          cross join unnest(coalesce(v_languages, '{english}')) as language
          cross join unnest(to_tsvector(language::regconfig, f.form)) u
          group by u.lexeme
        union
        select i.identifier, p_word_count + i.number::int
          from unnest(p_identifiers) with ordinality as i(identifier, number)
      ) l left join lateral (
        select t.chunk_count from term_statistics t where t.tenant_id = p_tenant and t.lexeme = l.lexeme offset 0) t on true;
end
$$;

-- Chunks of live documents by id, as far as the caller's role may read them.
create function load_chunks(p_tenant text, p_levels text[], p_acl_ids int[], p_chunk_ids text[])
returns table (chunk_id text, document_id text, version int, source_id text, uri text, title text, heading_path text[],
  page int, text text, start_offset int, end_offset int, section_start int, section_end int)
language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
#variable_conflict use_column
begin
  return query
    select c.chunk_id, c.document_id, c.version, d.source_id, d.uri, d.title, c.heading_path,
        c.page, c.text, c.start_offset, c.end_offset, c.section_start, c.section_end
      from (select distinct unnest(p_chunk_ids) as id) wanted cross join unnest(p_levels) as level cross join lateral (
        select * from chunks c
          where c.tenant_id = p_tenant and c.access_level = level and c.chunk_id = wanted.id and c.acl_id = any(p_acl_ids)
          offset 0) c cross join lateral (
        select d.source_id, d.uri, d.title from documents d
          where d.tenant_id = p_tenant and d.document_id = c.document_id and d.version = c.version and d.state = 'live'
          offset 0) d;
end
$$;

-- The nearest of the visible chunks under the vectors of one embedder, with the caller's rights. One row of nulls: the
-- embedder is not the active one. Searched by the index, p_breadth candidates at a time, where more than p_exact_rows chunks
-- and at least p_exact_share of all are visible; else exactly.
-- `execute` plans with the values at hand: the index has a tenant and an embedder in its predicate.
create function nearest_chunks(
  p_tenant text, p_levels text[], p_acl_ids int[], p_embedder text, p_question text, p_limit int,
  p_exact_rows int, p_exact_share float8, p_breadth int
) returns table (chunk_id text, document_id text, distance float8)
language plpgsql as $$
#variable_conflict use_column
declare
  v_embedder_id int;
  v_dimensions int;
  v_visible float8;
  v_total float8;
  v_indexed boolean;
begin
  select e.embedder_id, e.dimensions into v_embedder_id, v_dimensions from embedders e
    where e.tenant_id = p_tenant and e.name = p_embedder and e.state = 'active';
  if v_embedder_id is null then
    return query select null::text, null::text, null::float8;
    return;
  end if;
  select sum(s.chunk_count) filter (where s.acl_id = any(p_acl_ids)), sum(s.chunk_count) into v_visible, v_total
    from acl_statistics s where s.tenant_id = p_tenant;
  -- Nothing is counted before the first refresh: then the index decides, if there is one.
  v_indexed := v_total is null or v_visible > p_exact_rows and v_visible >= p_exact_share * v_total;
  if v_indexed then
    perform set_config('hnsw.ef_search', least(1000, p_breadth)::text, true);
    -- Iterative scans came with pgvector 0.8.
    if (select extversion from pg_extension where extname = 'vector') not like '0.7%' then
      perform set_config('hnsw.iterative_scan', 'relaxed_order', true);
    end if;
  end if;
  -- `+ 0` hides the ordering from the index. The distance is computed once a row, inside.
  return query execute format(
    'select chunk_id, document_id, distance from (
       select chunk_id, document_id, (embedding::halfvec(%1$s) <=> $4::halfvec(%1$s)) %3$s as distance
         from chunk_embeddings
         where tenant_id = $1 and access_level = any($2) and acl_id = any($3) and embedder_id = %2$s
           and (effective_from is null or effective_from <= now()) and (effective_to is null or effective_to > now())
         order by distance limit $5) as nearest',
    v_dimensions, v_embedder_id, case when v_indexed then '' else '+ 0' end)
    using p_tenant, p_levels, p_acl_ids, p_question, p_limit;
end
$$;

-- What was searched in place of a follow-up; null: the question as it was asked.
alter table answer_traces add column standalone_question text;

-- A database of an earlier release may never have had figures of its tables.
analyze chunks, chunk_embeddings, documents, term_statistics, acls;
