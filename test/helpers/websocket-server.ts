// The server's side of a WebSocket over Node's own HTTP server: text frames, close and ping, as much as Socket Mode needs.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface ServerSocket {
  send(text: string): void;
  close(): void;
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'; // RFC 6455, 1.3

/** Completes the handshake of an upgrade request. */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  onMessage: (text: string) => void,
  onClose: () => void,
): ServerSocket {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  let buffered = Buffer.alloc(0);
  let fragments: Buffer[] = [];
  socket.on('data', (data: Buffer) => {
    buffered = Buffer.concat([buffered, data]);
    for (let frame = readFrame(buffered); frame !== null; frame = readFrame(buffered)) {
      buffered = buffered.subarray(frame.size);
      if (frame.opcode === 8) {
        socket.end(writeFrame(8, frame.payload));
        return;
      }
      if (frame.opcode === 9) socket.write(writeFrame(10, frame.payload));
      if (frame.opcode > 2) continue;
      fragments.push(frame.payload);
      if (!frame.final) continue;
      onMessage(Buffer.concat(fragments).toString());
      fragments = [];
    }
  });
  socket.on('close', onClose).on('error', onClose);
  return {
    send: (text) => void socket.write(writeFrame(1, Buffer.from(text))),
    close: () => void socket.end(writeFrame(8, Buffer.from([3, 232]))),
  };
}

function readFrame(data: Buffer): { opcode: number; final: boolean; payload: Buffer; size: number } | null {
  if (data.length < 2) return null;
  const first = data.readUInt8(0);
  const second = data.readUInt8(1);
  const short = second & 127;
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
  const maskBytes = second & 128 ? 4 : 0;
  const head = 2 + lengthBytes + maskBytes;
  if (data.length < head) return null;
  const length = lengthBytes === 2 ? data.readUInt16BE(2) : lengthBytes === 8 ? Number(data.readBigUInt64BE(2)) : short;
  if (data.length < head + length) return null;
  const mask = data.subarray(head - maskBytes, head);
  const payload = Buffer.from(data.subarray(head, head + length));
  if (maskBytes > 0)
    for (let index = 0; index < length; index++) payload[index] = (payload[index] ?? 0) ^ (mask[index % 4] ?? 0);
  return { opcode: first & 15, final: (first & 128) !== 0, payload, size: head + length };
}

function writeFrame(opcode: number, payload: Buffer): Buffer {
  const head =
    payload.length < 126 ? Buffer.from([128 | opcode, payload.length]) : Buffer.alloc(payload.length < 65_536 ? 4 : 10);
  if (payload.length >= 126) {
    head.writeUInt8(128 | opcode, 0);
    if (payload.length < 65_536) {
      head.writeUInt8(126, 1);
      head.writeUInt16BE(payload.length, 2);
    } else {
      head.writeUInt8(127, 1);
      head.writeBigUInt64BE(BigInt(payload.length), 2);
    }
  }
  return Buffer.concat([head, payload]);
}
