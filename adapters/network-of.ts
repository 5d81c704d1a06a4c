import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

/** The network that a request comes from, as trusted proxies say: of IPv6 the part that belongs to one customer. */
export function networkOf(request: Request): string {
  return ipKeyGenerator(request.ip ?? '');
}
