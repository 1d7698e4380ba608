/**
 * The request fields with which an upstream adds input, tool uses, further passes or other models,
 * with the bound that the hold uses for each. Fields that are not listed here pass unchanged, and
 * what the upstream reports for them is charged.
 */
import { isFields, type JsonFields } from '../json-fields.ts';
import type { ToolRates } from './price.ts';

type Uses = Readonly<Partial<Record<keyof ToolRates, number>>>;

interface PaidField {
  /** Providers by slug; absent: all, as compatible servers accept fields of others. */
  readonly at?: readonly string[];
  /** The upstream adds input that it stores or looks up: up to the context of the model. */
  readonly reads?: true;
  /** The most uses of tools that have a price, each of which adds input as well (`TOKENS_OF_USE`). */
  readonly uses?: (value: unknown) => Uses;
  /** Each request is one search (or several), which the upstream does not report. */
  readonly alwaysSearches?: true;
  /** Further passes over the prompt, each with an answer of its own. */
  readonly passes?: (value: unknown) => number;
}

/** A server runs at most ten rounds of its tools for a request (Anthropic, Groq). */
const MOST_ROUNDS = 10;
/** Results that OpenRouter's search costs a use for: 5 results at 4 USD per 1,000. */
const RESULTS_PER_SEARCH = 5;

/**
 * Input that a use adds: OpenAI counts 8,000 tokens for a search, and twenty chunks of 800 tokens
 * for a search in files; for code, what several programs print.
 */
const TOKENS_OF_USE: Readonly<Record<keyof ToolRates, number>> = {
  web_search: 8_000,
  file_search: 16_000,
  code_session: 20_000,
};

const READS: PaidField = { reads: true };
const ONE_SEARCH: PaidField = { uses: () => ({ web_search: 1 }) };
const SEARCH: PaidField = { uses: (tool) => ({ web_search: mostUses(tool) }) };

/** Names in the request body. */
const FIELDS: ReadonlyMap<string, PaidField> = new Map([
  // Kept at the upstream.
  ['previous_response_id', READS],
  ['conversation', READS],
  ['thread', READS],
  ['cachedContent', READS],
  ['cached_content', READS],
  // Servers and data whose answers become input.
  ['mcp_servers', READS],
  ['mcpServers', READS],
  ['container', READS],
  ['connectors', READS],
  ['data_sources', READS],
  ['dataSources', READS],
  // Searches.
  ['web_search_options', { ...ONE_SEARCH, alwaysSearches: true }],
  ['enable_search', ONE_SEARCH],
  ['web_search', ONE_SEARCH],
  ['enable_enhancement', ONE_SEARCH],
  ['force_search_enhancement', ONE_SEARCH],
  ['search_parameters', { uses: (value) => ({ web_search: sourcesOf(value) }) }],
  ['plugins', { uses: pluginSearches, alwaysSearches: true }],
  // Compaction reads the conversation once more and writes a summary.
  ['compaction', { passes: () => 1 }],
  ['context_management', { passes: compactions }],
]);

/** Vendor tools, by the beginning of their `type`, or by their key in Google's form. */
const TOOLS: readonly (PaidField & { readonly match: RegExp })[] = [
  { match: /^(openrouter:)?(web_search|x_search|browser_search)/, ...SEARCH },
  { match: /^(google_?search|google_?maps|enterprise_?web_?search)/i, ...SEARCH },
  { match: /^builtin_function$/, ...ONE_SEARCH },
  { match: /^file_?search/i, uses: () => ({ file_search: MOST_ROUNDS }) },
  { match: /^(code_interpreter|code_?execution)/i, uses: () => ({ code_session: 1 }) },
  {
    match: /^(openrouter:)?(web_fetch|mcp|url_?context|retrieval|collections_search)/i,
    reads: true,
  },
];

/** Models that search on their own. */
const MODELS: readonly (PaidField & { readonly match: RegExp })[] = [
  { match: /compound-mini$/, at: ['groq'], ...ONE_SEARCH },
  { match: /compound/, at: ['groq'], ...SEARCH },
  { match: /:online$/, at: ['openrouter'], ...ONE_SEARCH, alwaysSearches: true },
  { match: /^sonar/, at: ['perplexity'], ...ONE_SEARCH, alwaysSearches: true },
  { match: /^bot-/, at: ['volcengine'], ...ONE_SEARCH },
];

/** The fields that must be parsed because the table names them. */
export const PAID_FIELDS: readonly string[] = [...FIELDS.keys()];

/** A model that the request names for a tool, which is charged at its own price. */
export interface ToolModel {
  /** Such as `tools.0.model`. */
  readonly field: string;
  readonly model: string;
  readonly uses: number;
  /** The output limit of a use, if it is set. */
  readonly maxTokens: number | undefined;
}

/** What the fields of a request may add, at most. */
export interface Added {
  readonly reads: boolean;
  /** Input tokens beside those that it reads. */
  readonly tokens: number;
  readonly uses: Required<Uses>;
  readonly passes: number;
  readonly vendorTools: number;
  /** Searches that are charged even if the upstream does not report them. */
  readonly unreportedSearches: number;
}

export interface RequestPlace {
  readonly model: string;
  /** Slug of the channel's type. */
  readonly provider?: string | undefined;
  /** The upstream keeps to `max_tool_calls`. Elsewhere the field would lower the hold alone. */
  readonly limitsToolCalls?: boolean;
}

/** Never throws. */
export function addedBy(body: unknown, place: RequestPlace): Added {
  const tools = isFields(body) ? vendorToolsIn(body) : NO_TOOLS;
  const fields = fieldsIn(body);
  const models = rowsOfModel(place);
  if (fields.length + tools.length + models.length === 0) return NOTHING_ADDED;
  const ofTools = tools.flatMap(rowOfTool);
  const mostCalls = mostToolCalls(body, place);
  const added = { reads: false, passes: 0, unreportedSearches: 0 };
  const uses = { web_search: 0, file_search: 0, code_session: 0 };
  for (const [row, value] of ofTools) {
    const used = row.uses?.(value) ?? {};
    added.reads ||= row.reads === true && mostCalls > 0;
    for (const tool of TOOL_KINDS) uses[tool] = Math.min(uses[tool] + (used[tool] ?? 0), mostCalls);
  }
  for (const [row, value] of [...fields, ...models]) {
    const used = row.uses?.(value) ?? {};
    added.reads ||= row.reads === true;
    added.passes += row.passes?.(value) ?? 0;
    if (row.alwaysSearches) added.unreportedSearches += used.web_search ?? 0;
    for (const tool of TOOL_KINDS) uses[tool] += used[tool] ?? 0;
  }
  const tokens = TOOL_KINDS.reduce((sum, tool) => sum + uses[tool] * TOKENS_OF_USE[tool], 0);
  return { ...added, tokens, uses, vendorTools: tools.length };
}

/** OpenAI's limit of the calls of all its tools in one answer. */
function mostToolCalls(body: unknown, { limitsToolCalls }: RequestPlace): number {
  const most = limitsToolCalls && isFields(body) ? body.max_tool_calls : undefined;
  return typeof most === 'number' && most >= 0 ? most : Number.POSITIVE_INFINITY;
}

/** What most requests add. */
const NOTHING_ADDED: Added = {
  reads: false,
  tokens: 0,
  passes: 0,
  unreportedSearches: 0,
  uses: { web_search: 0, file_search: 0, code_session: 0 },
  vendorTools: 0,
};

const TOOL_KINDS = ['web_search', 'file_search', 'code_session'] as const;

/** A row of the table, and the value that it applies to. */
type Found = readonly [PaidField, unknown];

const NONE_FOUND: readonly Found[] = [];
const NO_TOOLS: readonly VendorTool[] = [];

function fieldsIn(body: unknown): readonly Found[] {
  if (!isFields(body)) return NONE_FOUND;
  const found: Found[] = [];
  for (const name in body) {
    const row = FIELDS.get(name);
    if (row !== undefined && isOn(body[name])) found.push([row, body[name]]);
  }
  // A template kept at the upstream; elsewhere `prompt` is text.
  if (isFields(body.prompt)) found.push([READS, body.prompt]);
  return found;
}

function rowsOfModel({ model, provider = '' }: RequestPlace): readonly Found[] {
  const row = MODELS.find(({ match, at }) => at?.includes(provider) && match.test(model));
  return row === undefined ? NONE_FOUND : [[row, undefined]];
}

interface VendorTool {
  readonly name: string;
  readonly tool: JsonFields;
}

function rowOfTool({ name, tool }: VendorTool): readonly Found[] {
  const row = TOOLS.find(({ match }) => match.test(name));
  return row === undefined ? [] : [[row, tool]];
}

/** The models that tools of the request name. */
export function toolModelsOf(body: unknown): readonly ToolModel[] {
  if (!isFields(body) || !Array.isArray(body.tools)) return NO_MODELS;
  return body.tools.flatMap((tool: unknown, index) => {
    if (!isFields(tool) || !/^advisor/.test(String(tool.type))) return [];
    const { model, max_tokens: maxTokens } = tool;
    return {
      field: `tools.${index}.model`,
      model: typeof model === 'string' ? model : '',
      uses: mostUses(tool),
      maxTokens: typeof maxTokens === 'number' && maxTokens > 0 ? maxTokens : undefined,
    };
  });
}

const NO_MODELS: readonly ToolModel[] = [];

const CLIENT_TOOLS: ReadonlySet<unknown> = new Set([undefined, 'function', 'custom', 'namespace']);
/** Of tools without a type. */
const CLIENT_KEYS: ReadonlySet<string> = new Set([
  'functionDeclarations',
  'function_declarations',
  'function',
  'input_schema',
  'parameters',
]);

/** What the vendor runs; one entry of Google's may have several tools. */
function vendorToolsIn({ tools }: JsonFields): readonly VendorTool[] {
  if (tools === undefined) return NO_TOOLS;
  return objectsOf(tools).flatMap((tool) => {
    if (!CLIENT_TOOLS.has(tool.type)) return [{ name: String(tool.type), tool }];
    if (tool.type !== undefined) return [];
    const names = Object.keys(tool).filter((name) => isFields(tool[name]));
    return names.filter((name) => !CLIENT_KEYS.has(name)).map((name) => ({ name, tool }));
  });
}

/** Whether a field is set to anything but off. */
function isOn(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  if (!isFields(value)) return true;
  return value.enable !== false && value.mode !== 'off';
}

/** Anthropic's tools, whose types end in a date, keep to `max_uses`. */
function mostUses(tool: unknown): number {
  const uses = isFields(tool) && /_20\d{6}$/.test(String(tool.type)) ? tool.max_uses : undefined;
  return typeof uses === 'number' && uses > 0 ? uses : MOST_ROUNDS;
}

/** The list of edits, of Anthropic inside an object; others than compaction only remove input. */
function compactions(value: unknown): number {
  const edits = objectsOf(isFields(value) ? value.edits : value);
  return edits.some(({ type }) => /^compact/.test(String(type))) ? 1 : 0;
}

/** The number of sources of xAI's search, each of which has a price. */
function sourcesOf(value: unknown): number {
  const most = isFields(value) ? value.max_search_results : undefined;
  return typeof most === 'number' && most > 0 ? most : 20;
}

function pluginSearches(value: unknown): Uses {
  const web = objectsOf(value).filter(({ id }) => id === 'web');
  const searches = web.map(({ max_results: most }) =>
    typeof most === 'number' && most > 0 ? Math.ceil(most / RESULTS_PER_SEARCH) : 1,
  );
  return { web_search: searches.reduce((sum, count) => sum + count, 0) };
}

function objectsOf(value: unknown): readonly JsonFields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
