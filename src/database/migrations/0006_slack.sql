-- The sweep for posted answers whose evidence went looks every two seconds: each of its questions gets an index, so that it
-- costs the same however many answers were posted.

-- Rights that end by time alone, which nothing announces.
create index acl_layer_principals_by_expiry on acl_layer_principals (tenant_id, expires_at) where expires_at is not null;

-- Answers posted since the last look.
create index posted_answers_by_time on posted_answers (tenant_id, posted_at);

-- Emptied answers, of which a message may still stand.
create index answers_retracted on answers (tenant_id, answer_id) where retracted_at is not null;
