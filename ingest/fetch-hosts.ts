// Which hosts a document may be fetched from. Whoever can name a URL must not reach what only this machine can reach.
import ipaddr from 'ipaddr.js';
import { UsageError } from '../retrieval/errors.ts';

/** A host named by configuration: `docs.example.com`, `*.example.com`, `127.0.0.1:8080`, `[::1]:3000`. */
export interface AllowedHost {
  /** Lower case, IP addresses in their canonical form without brackets; of a wildcard, what follows `*.`. */
  readonly host: string;
  readonly wildcard: boolean;
  /** Null: any port. */
  readonly port: number | null;
}

/** What the messages tell people to set. */
export const FETCH_HOSTS_VARIABLE = 'VERBATIM_FETCH_HOSTS';

const PATTERN = /^(\*\.)?(\[[0-9a-f:.]+\]|[^:[\]*\s/?#@\\]+)(?::(\d{1,5}))?$/i;

// RFC 6761 (localhost), RFC 6762 (local), RFC 8375 (home.arpa), and `internal`, reserved by ICANN in 2024: names that the
// public DNS cannot answer, so nobody outside decides where they lead. A name without a dot is of the same kind.
const PRIVATE_NAME = /^[^.]+$|\.(localhost|local|home\.arpa|internal)$/;

// Never link-local: 169.254.169.254 hands out a cloud machine's credentials. It has to be named as the address it is.
const RANGES_OF_PRIVATE_NAMES: readonly string[] = ['loopback', 'private', 'uniqueLocal', 'carrierGradeNat'];

/**
 * Reads one entry of the list of hosts.
 * @throws UsageError when it is not a host with an optional port and an optional leading `*.`.
 */
export function parseAllowedHost(pattern: string): AllowedHost {
  const match = PATTERN.exec(pattern.trim());
  const port = match?.[3] === undefined ? null : Number(match[3]);
  const host = match && canonicalHost(match[2] ?? '');
  if (!host || (port !== null && (port < 1 || port > 65_535)) || (match[1] && ipaddr.isValid(host))) {
    throw new UsageError(
      `"${pattern}" does not name a host; write docs.example.com, *.example.com, 127.0.0.1:8080 or [::1]:3000`,
    );
  }
  return { host, wildcard: match[1] !== undefined, port };
}

/** Whether the URL's host and port are named, by a wildcard or exactly. */
export function isNamedHost(url: URL, allowed: readonly AllowedHost[]): boolean {
  const host = hostOf(url);
  return allowed.some((entry) => {
    if (entry.port !== null && entry.port !== portOf(url)) return false;
    return entry.wildcard ? host.endsWith(`.${entry.host}`) : host === entry.host;
  });
}

/**
 * Whether the URL's host may be reached at `address`: a public address always; any other only when the address itself is
 * named, or when an exactly named host is one that only a private network can resolve (`localhost`, `wiki.internal`).
 * An address inside another (IPv4 in IPv6: mapped, 6to4, Teredo, NAT64) is not public either.
 */
export function isReachableAddress(url: URL, address: string, allowed: readonly AllowedHost[]): boolean {
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  const range = parsed.range();
  if (range === 'unicast' && (parsed.kind() === 'ipv4' || isGlobalUnicast(parsed))) return true;
  const named = allowed.filter((entry) => !entry.wildcard && (entry.port === null || entry.port === portOf(url)));
  if (named.some((entry) => ipaddr.isValid(entry.host) && sameAddress(entry.host, parsed))) return true;
  const host = hostOf(url);
  if (!PRIVATE_NAME.test(host) || !RANGES_OF_PRIVATE_NAMES.includes(range)) return false;
  return named.some((entry) => entry.host === host);
}

/** The URL's host without brackets and final dot. The URL parser has already read `0x7f.1` and `2130706433` as addresses. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

// RFC 4291 and the IANA registry: only 2000::/3 is handed out. The library calls the rest unicast too, such as `::7f00:1`,
// the obsolete way of writing 127.0.0.1.
function isGlobalUnicast(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return ((address.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}

function sameAddress(host: string, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return ipaddr.process(host).toNormalizedString() === address.toNormalizedString();
}

// The URL parser's own reading (lower case, Punycode, the odd forms of IPv4), so that an entry and a URL compare equal.
function canonicalHost(text: string): string | null {
  try {
    return hostOf(new URL(`http://${text}/`)) || null;
  } catch {
    return null;
  }
}
