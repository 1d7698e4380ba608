/** A real mail server on a free port that stores the mails it receives. */
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { SERVER_TLS } from './tls.ts';

export interface ReceivedLetter {
  readonly from: string;
  readonly to: readonly string[];
  /** Empty without authentication. */
  readonly account: string;
  readonly isSecure: boolean;
  /** Header lines as received, unfolded. */
  readonly headers: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface MailServer {
  readonly port: number;
  readonly letters: ReceivedLetter[];
  /** Authentication methods used by clients, including failed attempts. */
  readonly methods: string[];
  /** Number of connections so far. */
  connections(): number;
  /** Closes all open connections; resolves when they are closed. */
  hangUp(): Promise<void>;
  close(): Promise<void>;
}

export const MAIL_ACCOUNT = { user: 'robot@site.example', password: 'mail password' } as const;

/** The options of a site that sends its mail to this server, by the host name of its certificate. */
export function mailOptions({ port }: MailServer) {
  return {
    SMTPServer: 'localhost',
    SMTPPort: port,
    SMTPAccount: MAIL_ACCOUNT.user,
    SMTPToken: MAIL_ACCOUNT.password,
  };
}

export async function aMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const letters: ReceivedLetter[] = [];
  const methods: string[] = [];
  let connections = 0;
  const server = new SMTPServer({
    ...SERVER_TLS,
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect(_session, done) {
      connections += 1;
      done();
    },
    onAuth({ method, username, password }, _session, done) {
      methods.push(method);
      const isKnown = username === MAIL_ACCOUNT.user && password === MAIL_ACCOUNT.password;
      if (isKnown) done(null, { user: username });
      else done(new Error('535 who are you'));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        letters.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          account: session.user ?? '',
          isSecure: session.secure,
          ...readLetter(Buffer.concat(chunks).toString('utf8')),
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo; // a TCP server
  return {
    port,
    letters,
    methods,
    connections: () => connections,
    async hangUp() {
      const gone = [...sockets].map((socket) => once(socket, 'close'));
      for (const socket of sockets) socket.destroy();
      await Promise.all(gone);
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function readLetter(raw: string) {
  const { headers, body } = partOf(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers.join('\n'))?.[1];
  const parts = boundary === undefined ? [raw] : body.split(`--${boundary}`).slice(1, -1);
  const content = (type: string) => {
    const found = parts
      .map((part) => partOf(part.trimStart()))
      .find((part) =>
        part.headers.some((line) => line.toLowerCase().startsWith(`content-type: ${type}`)),
      );
    return found === undefined ? '' : decoded(found).trim();
  };
  const subject =
    headers
      .find((line) => /^subject:/i.test(line))
      ?.slice(8)
      .trim() ?? '';
  return {
    headers,
    subject: words(subject),
    text: content('text/plain'),
    html: content('text/html'),
  };
}

interface Part {
  readonly headers: string[];
  readonly body: string;
}

function partOf(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const head = raw.slice(0, end).replaceAll(/\r\n[ \t]+/g, ' ');
  return { headers: head.split('\r\n'), body: raw.slice(end + 4) };
}

function decoded({ headers, body }: Part): string {
  const encoding = headers.find((line) => /^content-transfer-encoding:/i.test(line)) ?? '';
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64').toString('utf8');
  return /quoted-printable/i.test(encoding) ? unquoted(body.replaceAll('=\r\n', '')) : body;
}

function unquoted(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** Decodes encoded words (RFC 2047). */
function words(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : unquoted(word.replaceAll('_', ' ')),
    );
}
