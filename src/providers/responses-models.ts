/**
 * Models that OpenAI serves, or serves in full, by its Responses API only, as dated rows. What a chat
 * client asks of them is sent there. Source: developers.openai.com, model pages, November 2026.
 */
interface ResponsesRow {
  readonly match: RegExp;
  /** `tools`: chat refuses functions; `reasoning_tools`: unless reasoning is switched off. */
  readonly when: 'always' | 'tools' | 'reasoning_tools';
}

const PROVIDERS: ReadonlySet<string> = new Set(['openai', 'azure']);

/** The first row that fits. */
const ROWS: readonly ResponsesRow[] = [
  { match: /^(codex|computer-use)-/, when: 'always' },
  { match: /^(gpt-\d|o\d)[^/]*-(codex|pro|deep-research)(-|$)/, when: 'always' },
  { match: /^gpt-6-astra/, when: 'tools' },
  { match: /^gpt-(5\.([4-9]|\d\d)|[6-9])(?![^/]*-chat)/, when: 'reasoning_tools' },
];

export interface AskedOfModel {
  /** The request brings functions that the model may call. */
  readonly hasTools: boolean;
  /** It says that the model must not reason. */
  readonly isReasoningOff: boolean;
}

/** Whether a call of this model cannot be put as chat. `asked` is read only where it matters. */
export function needsResponses(
  providerSlug: string,
  model: string,
  asked: () => AskedOfModel,
): boolean {
  if (!PROVIDERS.has(providerSlug)) return false;
  const row = ROWS.find(({ match }) => match.test(model));
  if (row === undefined || row.when === 'always') return row !== undefined;
  const { hasTools, isReasoningOff } = asked();
  return hasTools && !(row.when === 'reasoning_tools' && isReasoningOff);
}
