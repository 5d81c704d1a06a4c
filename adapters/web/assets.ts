// The style sheet, the script and the icon: read once, and named with their digest, so that browsers keep them for good.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type RequestHandler, Router } from 'express';
import { takes } from './takes.ts';

const TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'admin.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
export type AssetName = keyof typeof TYPES;

const FOREVER = 'public, max-age=31536000, immutable';

interface Asset {
  readonly body: Buffer;
  readonly digest: string;
}

const assets = new Map<string, Asset>(
  Object.keys(TYPES).map((name) => {
    const body = readFileSync(new URL(`assets/${name}`, import.meta.url));
    return [name, { body, digest: createHash('sha256').update(body).digest('base64url').slice(0, 16) }];
  }),
);

/** Where a page finds an asset. */
export function assetPath(name: AssetName): string {
  return `/assets/${name}?v=${assets.get(name)?.digest}`;
}

/** Serves `/assets/…`. */
export function createAssets(): Router {
  const serve: RequestHandler<{ name: string }> = (request, response, next) => {
    const asset = assets.get(request.params.name);
    if (!asset) return next();
    response.set('content-type', TYPES[request.params.name as AssetName]).set('etag', `"${asset.digest}"`);
    response.set('cache-control', request.query.v === asset.digest ? FOREVER : 'no-cache');
    if (request.fresh) response.status(304).end();
    else response.send(asset.body);
  };
  return Router().get('/assets/:name', serve).all('/assets/:name', takes('GET'));
}
