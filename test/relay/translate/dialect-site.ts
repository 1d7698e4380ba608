/** A site with one channel for each upstream dialect, and the same request in each client dialect. */
import { afterAll, beforeEach } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import {
  AWS_KEY,
  AWS_SESSION_KEY,
  aCloudUpstream,
  BEDROCK_API_KEY,
} from '../../support/cloud-credentials.ts';
import { aSite, type Site } from '../../support/site.ts';
import { type ClientRow, CLIENTS as ROWS } from '../../system/matrix/clients.ts';
import { setPrice } from '../tenant.ts';

export const CLIENTS = Object.keys(DIALECTS) as DialectName[]; // the keys of a constant table

const REGIONS = JSON.stringify({ default: 'us-central1', 'via-vertex-claude': 'us-east5' });

interface UpstreamRow {
  readonly type: number;
  readonly model: string;
  readonly other?: string;
  readonly key?: string;
  /** The key is a service account that the upstream accepts. */
  readonly hasAccount?: true;
}

/** Upstreams by dialect, and the clouds that carry a dialect in their own way. */
export const UPSTREAMS = {
  chat: { type: 1, model: 'gpt-4o-mini' },
  anthropic: { type: 14, model: 'claude-sonnet-4-5' },
  gemini: { type: 24, model: 'gemini-3.1-pro-preview' },
  azure: { type: 3, model: 'gpt-4o-mini', other: '2024-10-21' },
  'bedrock-claude': { type: 33, model: 'claude-sonnet-4-5', key: AWS_KEY },
  'bedrock-nova': { type: 33, model: 'nova-pro', key: AWS_SESSION_KEY },
  'bedrock-llama': { type: 33, model: 'us.meta.llama4-v1:0', key: BEDROCK_API_KEY },
  'vertex-gemini': { type: 41, model: 'gemini-3.1-pro-preview', hasAccount: true, other: REGIONS },
  'vertex-claude': { type: 41, model: 'claude-sonnet-4-5', hasAccount: true, other: REGIONS },
  'vertex-llama': { type: 41, model: 'meta/llama-4', hasAccount: true, other: 'global' },
  'vertex-express': { type: 41, model: 'gemini-3.8-flash', other: 'global' },
  // Served by this endpoint only, whatever the client's dialect.
  responses: { type: 1, model: 'gpt-5.3-codex' },
} as const satisfies Record<string, UpstreamRow>;

export const PRICE = { ratio: '1', completion: '1' };

/** The same request in each client dialect. */
export const REQUESTS = Object.fromEntries(
  ROWS.map(({ name, request }) => [name, request]),
) as Readonly<Record<DialectName, ClientRow['request']>>; // one row for each name

/** For a whole test file: each test starts with reset upstreams, and the last one closes the site. */
export async function aDialectSite(): Promise<Site> {
  const { upstream, tokenUrl, account } = await aCloudUpstream();
  const site = await aSite({ upstream, config: { googleTokenUrl: tokenUrl } });
  beforeEach(() => site.upstream.reset());
  afterAll(() => site.close());
  for (const [name, { model, hasAccount, ...fields }] of Object.entries<UpstreamRow>(UPSTREAMS)) {
    const mapping = { [`via-${name}`]: model, [`thinks-${name}`]: `${model}-reason` };
    for (const bare of Object.keys(mapping)) await setPrice(site, bare, PRICE);
    await site.addChannel({
      ...fields,
      ...(hasAccount && { key: account }),
      models: Object.keys(mapping).join(','),
      model_mapping: JSON.stringify(mapping),
      setting: JSON.stringify({ chat_only: name === 'chat' }),
    });
  }
  return site;
}
