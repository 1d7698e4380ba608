/**
 * Claude on other clouds: the same body without the model, and with the version instead of the
 * header. Fields that only Anthropic's own servers support are removed, because the clouds reject
 * extra inputs.
 */
import type { JsonObject } from '../../json/read-json.ts';
import type { UpstreamPayload } from './transport.ts';

export interface ClaudeCloud {
  readonly version: string;
  /** Prefixes of supported beta flags (the suffixes are dates). */
  readonly flags: readonly string[];
  /** The path selects streaming, not the body. */
  readonly streamByPath?: true;
  /** Flags are sent in the body, not in a header. */
  readonly flagsInBody?: true;
}

/** Fields of Anthropic's own service: files, containers, tiers, connectors and accounts. */
const OWN_SERVICE = [
  'container',
  'mcp_servers',
  'service_tier',
  'speed',
  'inference_geo',
  'user_profile_id',
  'workspace_id',
  'diagnostics',
] as const;

/** Fields that are rejected without their flag; both are sent, or neither. */
const FLAG_OF_FIELD: Readonly<Record<string, string>> = {
  context_management: 'context-management-2025-06-27',
};

export function claudeCloudPayload(
  { headers, body }: UpstreamPayload,
  cloud: ClaudeCloud,
): UpstreamPayload {
  const { 'anthropic-version': _, 'anthropic-beta': beta = '', ...others } = headers;
  const flags = knownFlags(beta, body, cloud);
  const left = new Set<string>([
    'model',
    ...OWN_SERVICE,
    ...(cloud.streamByPath ? ['stream'] : []),
  ]);
  const isKept = (name: string) => {
    const flag = FLAG_OF_FIELD[name];
    return !left.has(name) && (flag === undefined || flags.includes(flag));
  };
  const kept = Object.entries(body).filter(([name]) => isKept(name));
  const hasFlags = flags.length > 0;
  return {
    headers:
      hasFlags && !cloud.flagsInBody ? { ...others, 'anthropic-beta': flags.join(',') } : others,
    body: {
      ...Object.fromEntries(kept),
      anthropic_version: cloud.version,
      ...(hasFlags && cloud.flagsInBody ? { anthropic_beta: flags } : {}),
    },
  };
}

/** Flags that the client requested or that fields need, if this cloud supports them. */
function knownFlags(beta: string, body: JsonObject, { flags }: ClaudeCloud): readonly string[] {
  const requested = beta.split(',').map((flag) => flag.trim());
  const needed = Object.entries(FLAG_OF_FIELD).flatMap(([field, flag]) =>
    body[field] === undefined ? [] : [flag],
  );
  const isKnown = (flag: string) => flags.some((beginning) => flag.startsWith(beginning));
  return [...new Set([...requested, ...needed])].filter(isKnown);
}
