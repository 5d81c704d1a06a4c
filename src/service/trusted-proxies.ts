import { isIP } from 'node:net';

// As Express names them.
const NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/**
 * An address, a CIDR range or a name of ranges as Express's `trust proxy` takes it.
 * @throws TypeError for anything else, and for a range of all addresses: anybody could then say to be anybody.
 */
export function parseTrustedProxy(text: string): string {
  if (NAMES.includes(text)) return text;
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  const isRange = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
  if (version === 0 || !isRange || rest.length > 0) throw new TypeError(`not a proxy: ${text}`);
  return text;
}
