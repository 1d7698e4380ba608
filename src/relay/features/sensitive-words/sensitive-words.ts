/** Refuses prompts that contain words of the operator's list. */
import type { Context } from '../../../context.ts';
import { AppError } from '../../../domain/errors/errors.ts';
import type { Caller } from '../../call/caller.ts';
import type { Feature } from '../feature.ts';
import { compileWords, type WordSearch } from './word-search.ts';

export const sensitiveWords: Feature = {
  client: {
    appliesTo: () => true,
    /** @throws AppError sensitive_words */
    admit({ ctx }, caller, { body }) {
      if (!isChecked(ctx, caller)) return;
      const found = openSearch(ctx).find(textsOf(body));
      if (typeof found === 'object') return found.then(refuseFound);
      refuseFound(found);
    },
  },
};

function refuseFound(word: string | undefined): void {
  if (word !== undefined) throw new AppError('sensitive_words');
}

/** Whether prompts are searched. */
function isChecked(ctx: Pick<Context, 'options'>, { group }: Pick<Caller, 'group'>): boolean {
  const options = ctx.options();
  if (!options.get('CheckSensitiveEnabled') || !options.get('CheckSensitiveOnPromptEnabled'))
    return false;
  return !(
    options.get('global.safe_check_exempt_enabled') &&
    group === options.get('global.safe_check_exempt_group')
  );
}

/** Per list: a changed option has a new one. */
const searches = new WeakMap<readonly string[], WordSearch>();

function openSearch(ctx: Pick<Context, 'log' | 'options'>): WordSearch {
  const lines = ctx.options().get('SensitiveWords');
  const known = searches.get(lines);
  if (known !== undefined) return known;
  const compiled = compileWords(lines, ctx.log);
  searches.set(lines, compiled);
  return compiled;
}

/** Every user-written text of a request, for the word check. */
function textsOf(body: Readonly<Record<string, unknown>>): string[] {
  const texts: string[] = [];
  for (const field of [
    'messages',
    'prompt',
    'input',
    'query',
    'documents',
    'system',
    'instructions',
    'contents',
    'systemInstruction',
    'system_instruction',
  ]) {
    collectTexts(body[field], texts, 0);
  }
  return texts;
}

const MAX_DEPTH = 8;

function collectTexts(value: unknown, into: string[], depth: number): void {
  if (typeof value === 'string') {
    if (value !== '' && !value.startsWith('data:')) into.push(value);
    return;
  }
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) collectTexts(item, into, depth + 1);
    return;
  }
  const part = value as Readonly<Record<string, unknown>>; // an object of parsed JSON
  for (const field of ['content', 'text', 'input_text', 'parts']) {
    if (field in part) collectTexts(part[field], into, depth + 1);
  }
}
