/**
 * The connection to the mail server: kept open for as long as the settings stay, made anew when they
 * change. One per process, in the context; `mail.ts` is what services call.
 */
import type { Transporter } from 'nodemailer';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise by STARTTLS where the server offers it. */
  readonly isSecure: boolean;
  /** Undefined: the server is used without signing in. */
  readonly account: MailAccount | undefined;
  /** Trusted authorities in PEM; undefined means the usual ones. */
  readonly ca: readonly string[] | undefined;
}

export interface MailAccount {
  readonly user: string;
  readonly pass: string;
  /** Set for servers that offer PLAIN and then refuse it; else the first method they offer. */
  readonly method: 'LOGIN' | undefined;
}

export interface Letter {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly messageId: string;
}

export interface Mailer {
  /** Rejects with the error of nodemailer unless the server took the letter for somebody. */
  send(server: MailServer, letter: Letter): Promise<void>;
  /** Ends the connections; what waits fails. */
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 20_000;
/** For one letter in all, waiting for a connection included. */
const LETTER_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 30_000;
const CONNECTIONS = 3;

export function createMailer(): Mailer {
  let kept: { readonly name: string; readonly transport: Promise<Transporter> } | undefined;

  const drop = (): void => {
    kept?.transport.then((transport) => transport.close()).catch(() => undefined);
    kept = undefined;
  };

  const transportTo = (server: MailServer): Promise<Transporter> => {
    const name = JSON.stringify(server);
    if (kept?.name !== name) {
      drop();
      kept = { name, transport: open(server) };
    }
    return kept.transport;
  };

  return {
    async send(server, letter) {
      const transport = await transportTo(server);
      await deliver(transport, letter);
    },
    close: drop,
  };
}

/** By dynamic import: the library costs more to load than most commands run. */
async function open(server: MailServer): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const { account, ca } = server;
  return createTransport({
    pool: true,
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    ...(account === undefined ? {} : { auth: { ...account } }),
    ...(ca === undefined ? {} : { tls: { ca: [...ca] } }),
    maxConnections: CONNECTIONS,
    maxRequeues: 1,
    idleTimeout: IDLE_TIMEOUT_MS,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    dnsTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
  });
}

async function deliver(transport: Transporter, letter: Letter): Promise<void> {
  await transport.sendMail({
    from: letter.from,
    to: [...letter.to],
    subject: letter.subject,
    html: letter.html,
    text: letter.text,
    messageId: letter.messageId,
    // The texts are ours, but what stands in them is not: nothing of it may name a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
    signal: AbortSignal.timeout(LETTER_TIMEOUT_MS),
  });
}
