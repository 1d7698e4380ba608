/**
 * The forms in which services take a notification: one row per kind of address. Sources: the
 * services' pages "Incoming webhooks" (Slack, Discord), "sendMessage" (Telegram), "custom bot"
 * (Feishu, DingTalk, WeCom).
 */
import { createHmac } from 'node:crypto';
import type { PostKind } from '../../../domain/notification-kinds.ts';
import { numberIn, parseJson, textIn } from '../../../json/read-json.ts';
import { type Notification, plainText, webhookAuthHeaders, webhookBody } from './notification.ts';

export interface PostTarget {
  readonly url: string;
  /** '' = none. */
  readonly secret: string;
}

export interface Post {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer that refuses a notification. */
export interface PostRefusal {
  /** Status, and code and text of the service if it sent them. */
  readonly status: string;
  /** Whether the same notification may be accepted later. */
  readonly isTemporary: boolean;
}

interface PostForm {
  write(notice: Notification, target: PostTarget, nowMs: number): Post;
  /** Fields of the answer with the service's own code, 0 for success, and its text. */
  readonly answer?: {
    readonly code: string;
    readonly text: string;
    /** Codes of services that are busy or limit the rate. */
    readonly busy: readonly number[];
  };
}

const MAX_DISCORD_CHARACTERS = 2_000;
const MAX_TELEGRAM_CHARACTERS = 4_096;
const MAX_WECOM_BYTES = 2_048;
/** Of Feishu and DingTalk, whose whole body may have 20,000. */
const MAX_BOT_BYTES = 15_000;
const MAX_SLACK_CHARACTERS = 3_000;

const FORMS: Readonly<Record<PostKind, PostForm>> = {
  webhook: {
    write(notice, { url, secret }, nowMs) {
      const body = webhookBody(notice, Math.floor(nowMs / 1000));
      return { url, body, headers: webhookAuthHeaders(secret, body) };
    },
  },
  slack: {
    write: (notice, { url }) => ({
      url,
      body: JSON.stringify({
        text: `*${escaped(notice.title)}*\n${escaped(shortened(plainText(notice), MAX_SLACK_CHARACTERS))}`,
      }),
    }),
  },
  discord: {
    write: (notice, { url }) => ({
      url,
      body: JSON.stringify({
        content: shortened(`**${notice.title}**\n${plainText(notice)}`, MAX_DISCORD_CHARACTERS),
        // A name of a channel or model may contain @everyone.
        allowed_mentions: { parse: [] },
      }),
    }),
  },
  telegram: {
    write(notice, { url }) {
      const address = new URL(url);
      const chat_id = address.searchParams.get('chat_id') ?? '';
      address.search = '';
      const text = shortened(textOf(notice), MAX_TELEGRAM_CHARACTERS);
      const body = { chat_id, text, link_preview_options: { is_disabled: true } };
      return { url: address.href, body: JSON.stringify(body) };
    },
  },
  feishu: {
    write(notice, { url, secret }, nowMs) {
      const text = shortenedBytes(textOf(notice), MAX_BOT_BYTES);
      const timestamp = String(Math.floor(nowMs / 1000));
      // The key of this signature is time and secret; it signs an empty text.
      const sign = secret === '' ? {} : { timestamp, sign: signed(`${timestamp}\n${secret}`, '') };
      return { url, body: JSON.stringify({ ...sign, msg_type: 'text', content: { text } }) };
    },
    answer: { code: 'code', text: 'msg', busy: [11232] },
  },
  dingtalk: {
    write(notice, { url, secret }, nowMs) {
      const content = shortenedBytes(textOf(notice), MAX_BOT_BYTES);
      const address = new URL(url);
      if (secret !== '') {
        address.searchParams.set('timestamp', String(nowMs));
        address.searchParams.set('sign', signed(secret, `${nowMs}\n${secret}`));
      }
      return { url: address.href, body: JSON.stringify({ msgtype: 'text', text: { content } }) };
    },
    answer: { code: 'errcode', text: 'errmsg', busy: [-1, 130101] },
  },
  wecom: {
    write: (notice, { url }) => ({
      url,
      body: JSON.stringify({
        msgtype: 'text',
        text: { content: shortenedBytes(textOf(notice), MAX_WECOM_BYTES) },
      }),
    }),
    answer: { code: 'errcode', text: 'errmsg', busy: [-1, 45009] },
  },
};

export function buildPost(
  kind: PostKind,
  notice: Notification,
  target: PostTarget,
  nowMs: number,
): Post {
  return FORMS[kind].write(notice, target, nowMs);
}

/** Undefined if the service accepted the notification. */
export function refusalIn(
  kind: PostKind,
  { status, text: bodyText }: { readonly status: number; text(): string },
): PostRefusal | undefined {
  if (status < 200 || status >= 300)
    return { status: String(status), isTemporary: status >= 500 || status === 429 };
  const { answer } = FORMS[kind];
  if (answer === undefined) return undefined;
  const json = parseJson(bodyText());
  const code = numberIn(json, answer.code);
  if (code === 0) return undefined;
  const text = textIn(json, answer.text) ?? '';
  const shown = [status, code, shortened(text, 200)].filter((part) => part !== undefined);
  return {
    status: shown.join(' ').trim(),
    isTemporary: code !== undefined && answer.busy.includes(code),
  };
}

function textOf(notice: Notification): string {
  return `${notice.title}\n${plainText(notice)}`;
}

function signed(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64');
}

/** The characters that have a meaning in a text of Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const CUT = '\n...';

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - CUT.length).replace(/[\ud800-\udbff]$/, '')}${CUT}`;
}

function shortenedBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  // An incomplete character at the end becomes a replacement character.
  const start = bytes.subarray(0, most - CUT.length).toString('utf8');
  return `${start.replace(/\ufffd$/, '')}${CUT}`;
}
