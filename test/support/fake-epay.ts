/**
 * A payment gateway for the Epay protocol, implemented independently: it accepts the form posted by
 * a browser, verifies its signature and notifies the shop of the payment.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from 'undici';

type Fields = Readonly<Record<string, string>>;

export interface FakeEpay {
  readonly url: string;
  /** Orders received with a valid signature, by trade number. */
  readonly orders: ReadonlyMap<string, Fields>;
  /** The signed notification for this order; `changes` are applied before signing. */
  notice(tradeNo: string, changes?: Fields): Record<string, string>;
  /** Sends a notification to the URL in the order and returns the response text. */
  send(tradeNo: string, notice: Fields, method?: 'GET' | 'POST'): Promise<string>;
  close(): Promise<void>;
}

export async function startFakeEpay(pid: string, key: string): Promise<FakeEpay> {
  const orders = new Map<string, Fields>();
  const sign = (fields: Fields) => {
    const names = Object.keys(fields).filter((name) => fields[name] !== '');
    const line = names.sort().map((name) => `${name}=${fields[name]}`);
    return createHash('md5')
      .update(line.join('&') + key, 'utf8')
      .digest('hex');
  };
  const server = createServer(async (incoming, answer) => {
    const form = Object.fromEntries(new URLSearchParams(await text(incoming)));
    const { sign: given, sign_type, ...fields } = form;
    const isGood = incoming.url === '/submit.php' && given === sign(fields) && fields.pid === pid;
    if (isGood && fields.out_trade_no) orders.set(fields.out_trade_no, fields);
    answer.writeHead(isGood ? 200 : 400).end(isGood ? 'pay here' : `bad ${sign_type}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server

  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    notice(tradeNo, changes = {}) {
      const { type = '', name = '', money = '', out_trade_no = '' } = orders.get(tradeNo) ?? {};
      const fields = {
        ...{ pid, type, name, money, out_trade_no },
        trade_no: `E${tradeNo}`,
        trade_status: 'TRADE_SUCCESS',
        ...changes,
      };
      return { ...fields, sign: sign(fields), sign_type: 'MD5' };
    },
    async send(tradeNo, notice, method = 'GET') {
      const address = orders.get(tradeNo)?.notify_url ?? '';
      const fields = new URLSearchParams(notice).toString();
      const answer =
        method === 'GET'
          ? await request(`${address}?${fields}`)
          : await request(address, {
              method,
              headers: { 'content-type': 'application/x-www-form-urlencoded' },
              body: fields,
            });
      return answer.body.text();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
