/** Opens the dashboard on a site in memory, with a terminal that records its output. */
import chalk from 'chalk';
import { renderToString } from 'ink';
import { embeddedCommands } from '../../src/cli/commands/terminal/embedded-commands.ts';
import type { Language } from '../../src/locales/text.ts';
import { translator } from '../../src/locales/text.ts';
import { aggregateLogs } from '../../src/services/logs/hourly-aggregates.ts';
import type { Session } from '../../src/session/session.ts';
import { Values } from '../../src/session/values.ts';
import { inTransaction } from '../../src/store/connection/transaction.ts';
import type { LogRow } from '../../src/store/logs/log-row.ts';
import { insertLogs } from '../../src/store/logs/log-rows.ts';
import { insertOutcomes } from '../../src/store/tables/channel-outcomes-table.ts';
import { asAscii } from '../../src/tui/ascii.ts';
import { ScreenFrame } from '../../src/tui/components/frame.tsx';
import type { DashboardPorts, ExitReason } from '../../src/tui/ports.ts';
import { Runtime, type Start } from '../../src/tui/runtime.ts';
import { terminal as fakeTerminal } from '../cli/terminal.ts';
import { anEntry } from '../services/logs/log-entries.ts';
import { type Clients, createLocalSite, type LocalSite, OPERATOR } from '../support/local-site.ts';

export interface Terminal {
  /** The control sequences written so far. */
  readonly written: string[];
  readonly files: Map<string, string>;
  /** The editor: returns the edited text. */
  edited: (text: string) => string;
  ending: ExitReason | undefined;
  nowMs: number;
}

export interface Opened {
  readonly runtime: Runtime;
  readonly terminal: Terminal;
}

export interface Opening extends Partial<Start> {
  readonly language?: Language;
  readonly api?: Clients;
  readonly role?: number;
}

/** Opens a dashboard that refreshes only on request, so that no test depends on a timer. */
export function openOn(site: LocalSite, opening: Opening = {}): Opened {
  const { language = 'en', api = site.as(OPERATOR), role = 100, ...start } = opening;
  const terminal: Terminal = {
    written: [],
    files: new Map(),
    edited: (text) => text,
    ending: undefined,
    nowMs: site.ctx.now(),
  };
  // A user without permissions of the machine works on a remote server.
  const server = role === 100 ? undefined : { url: 'https://api.example.com', accessToken: '' };
  const ports: DashboardPorts = {
    session: { api, quotaPerUnit: 500_000 },
    run: embeddedCommands({ session: sessionOf(api), server }, fakeTerminal()),
    site: {
      profile: 'prod',
      location: 'https://api.example.com',
      version: '1.4.2',
      role,
      username: '',
    },
    isOperator: role === 100,
    language,
    nowMs: () => terminal.nowMs,
    valuesFor: (spoken) => new Values(translator(spoken), () => terminal.nowMs),
    write: (text) => void terminal.written.push(text),
    edit: async (text) => terminal.edited(text),
    openUrl: async () => false,
    address: async () => 'https://api.example.com',
    writeFile: async (path, text) => void terminal.files.set(path, text),
    suspend: () => undefined,
    quit: (ending) => {
      terminal.ending = ending;
    },
  };
  const runtime = new Runtime(ports, { columns: 100, rows: 30, ...start });
  return { runtime, terminal };
}

function sessionOf(api: Clients): Session {
  const nothing = () => Promise.reject(new Error('the dashboard makes no dry run'));
  return {
    api,
    ctx: undefined,
    location: '',
    quotaPerUnit: 500_000,
    dryRun: nothing,
    close: async () => undefined,
  };
}

/** The frame as lines of text. */
export function frameOf(runtime: Runtime, { color = false, ascii = false } = {}): string {
  chalk.level = color ? 1 : 0;
  const { columns } = runtime.state;
  const frame = renderToString(<ScreenFrame runtime={runtime} />, { columns });
  return ascii ? asAscii(frame) : frame;
}

/** A small site with one of everything: Chinese names, a failed channel, errors. */
export async function filledSite(): Promise<LocalSite> {
  const site = await createLocalSite();
  const api = site.as(OPERATOR);
  const alice = await site.aUser({ username: 'alice', display_name: '爱丽丝', quota: 10_000_000 });
  await site.aUser({ username: 'bob', role: 10, quota: 250 });
  await site.aUser({ username: 'carol', group: 'vip' });
  await api.user.manage({ id: 3, action: 'disable' });
  const names = ['openai-main', '通义千问 主线路', 'azure-eu'];
  for (const [index, name] of names.entries()) {
    const tag = index === 2 ? 'eu' : '';
    await site.aChannel({ name, models: 'gpt-4o,gpt-4o-mini', priority: 10 - index, tag });
  }
  await api.channel.setStatus({ id: 3, status: 2, reason: '429 quota exceeded' });
  await insertOutcomes(
    site.ctx.db,
    Array.from({ length: 20 }, (_, beat) => ({
      channel_id: 3,
      test_run_id: 0,
      at_ms: site.ctx.now() - (20 - beat) * 60_000,
      source: 'call',
      ok: beat % 5 !== 4,
      status: beat % 5 === 4 ? 429 : 200,
      latency_ms: beat === 1 ? 9000 : 900,
      first_token_ms: 0,
      error_class: beat % 5 === 4 ? 'limit' : '',
      model: 'gpt-4o',
      message: beat % 5 === 4 ? 'quota exceeded' : '',
    })),
  );
  for (const name of ['ide-key', '批处理', 'old']) {
    await site.aToken(alice, { name, remain_quota: 5_000_000 });
  }
  await api.token.edit({ id: 2, unlimited_quota: true });
  await api.token.setStatus({ id: 3, status: 2 });
  await api.redemption.create({ name: 'spring', quota: 5_000_000, key: 'spring-2026' });
  await api.redemption.create({
    name: 'gift',
    quota: 500_000,
    key: 'gift-2026',
    is_gift: true,
    max_uses: 100,
  });
  await inTransaction(site.ctx, (ctx) => insertLogs(ctx.db, logsOf(site)));
  await aggregateLogs(site.ctx);
  return site;
}

function logsOf(site: LocalSite): LogRow[] {
  const nowSec = Math.floor(site.ctx.now() / 1000);
  return Array.from({ length: 40 }, (_, index) => aLog(nowSec - (40 - index) * 120, index));
}

export function aLog(created_at: number, index: number): LogRow {
  const isError = index % 7 === 3;
  return anEntry({
    request_id: `req-${index}`,
    created_at,
    type: isError ? 6 : 2,
    content: isError ? '429 rate limit reached' : '',
    username: 'alice',
    token_name: 'ide-key',
    model_name: index % 3 === 0 ? 'claude-sonnet-4' : 'gpt-4o',
    quota: isError ? 0 : 1356 + index,
    prompt_tokens: isError ? 0 : 1204,
    completion_tokens: isError ? 0 : 88,
    first_token_ms: isError ? 0 : 300,
    is_stream: !isError,
    channel_id: (index % 3) + 1,
    client_ip: '203.0.113.7',
    usage_source: isError ? '' : 'upstream',
    other: isError ? '{}' : PRICED,
  });
}

const PRICED = JSON.stringify({
  model_ratio: 1.25,
  completion_ratio: 4,
  group_ratio: 0.8,
  cache_tokens: 400,
  cache_ratio: 0.5,
});
