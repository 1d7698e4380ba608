/**
 * The connection to the mail server: kept open until the settings change. One per process, in the
 * context; services call `mail.ts`.
 */
import type { Transporter } from 'nodemailer';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the start; otherwise STARTTLS if the server offers it. */
  readonly isSecure: boolean;
  /** Undefined: no authentication. */
  readonly account: MailAccount | undefined;
  /** Trusted authorities in PEM; undefined for the default ones. */
  readonly ca: readonly string[] | undefined;
}

export interface MailAccount {
  readonly user: string;
  readonly pass: string;
  /** Set for servers that offer PLAIN but reject it; else the first method the server offers. */
  readonly method: 'LOGIN' | undefined;
}

export interface OutgoingMail {
  readonly from: { readonly name: string; readonly address: string };
  readonly to: readonly string[];
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly messageId: string;
}

export interface Mailer {
  /** Rejects with nodemailer's error unless the server accepted the mail for some recipient. */
  send(server: MailServer, letter: OutgoingMail): Promise<void>;
  /** Closes the connections; pending mail fails. */
  close(): void;
}

const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 20_000;
/** Limit per mail, including the wait for a connection. */
const MAIL_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 30_000;
const CONNECTIONS = 3;

export function createMailer(): Mailer {
  let current: { readonly name: string; readonly transport: Promise<Transporter> } | undefined;

  const closeTransport = (): void => {
    current?.transport.then((transport) => transport.close()).catch(() => undefined);
    current = undefined;
  };

  const transportTo = (server: MailServer): Promise<Transporter> => {
    const name = JSON.stringify(server);
    if (current?.name !== name) {
      closeTransport();
      current = { name, transport: open(server) };
    }
    return current.transport;
  };

  return {
    async send(server, letter) {
      const transport = await transportTo(server);
      await deliver(transport, letter);
    },
    close: closeTransport,
  };
}

/** Imported dynamically: loading the library takes longer than most commands run. */
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
    socketTimeout: SOCKET_TIMEOUT_MS,
  });
}

async function deliver(transport: Transporter, letter: OutgoingMail): Promise<void> {
  await transport.sendMail({
    from: letter.from,
    to: [...letter.to],
    subject: letter.subject,
    html: letter.html,
    text: letter.text,
    messageId: letter.messageId,
    // The templates are trusted but their values are not: no value may reference a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
    signal: AbortSignal.timeout(MAIL_TIMEOUT_MS),
  });
}
