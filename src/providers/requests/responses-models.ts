/**
 * Models that OpenAI serves only, or in full only, through its Responses API, as dated rows. Chat
 * requests for them are sent there. Source: developers.openai.com, model pages, November 2026.
 */
interface ResponsesRow {
  readonly match: RegExp;
  /** `tools`: chat rejects functions; `reasoning_tools`: only unless reasoning is off. */
  readonly when: 'always' | 'tools' | 'reasoning_tools';
}

const PROVIDERS: ReadonlySet<string> = new Set(['openai', 'azure']);

/** The first matching row applies. */
const ROWS: readonly ResponsesRow[] = [
  { match: /^(codex|computer-use)-/, when: 'always' },
  { match: /^(gpt-\d|o\d)[^/]*-(codex|pro|deep-research)(-|$)/, when: 'always' },
  { match: /^gpt-6-astra/, when: 'tools' },
  { match: /^gpt-(5\.([4-9]|\d\d)|[6-9])(?![^/]*-chat)/, when: 'reasoning_tools' },
];

export interface ModelDemands {
  /** The request contains functions that the model may call. */
  readonly hasTools: boolean;
  /** The request turns reasoning off. */
  readonly isReasoningOff: boolean;
}

/** Whether a call of this model cannot be sent as chat. `demands` is called only if it matters. */
export function needsResponsesApi(
  providerSlug: string,
  model: string,
  demands: () => ModelDemands,
): boolean {
  if (!PROVIDERS.has(providerSlug)) return false;
  const row = ROWS.find(({ match }) => match.test(model));
  if (row === undefined || row.when === 'always') return row !== undefined;
  const { hasTools, isReasoningOff } = demands();
  return hasTools && !(row.when === 'reasoning_tools' && isReasoningOff);
}
