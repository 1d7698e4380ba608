/** GET /v1beta/models in Google's format (ai.google.dev/api/models). */
import { wrongField } from '../../domain/errors/field-errors.ts';
import { geminiFacts } from './models.ts';

export interface GeminiModelPage {
  readonly pageSize: string | undefined;
  readonly pageToken: string | undefined;
}

const PAGE = { usual: 50, most: 1_000 } as const;

/** A page of the names, and the token of the next page, if any. @throws AppError field_wrong. */
export function geminiModelPage(
  names: readonly string[],
  { pageSize, pageToken }: GeminiModelPage,
) {
  const size = sizeOf(pageSize);
  const start = pageToken ? placeAfter(names, pageToken) : 0;
  const shown = names.slice(start, start + size);
  const last = shown.at(-1);
  const isLast = last === undefined || start + size >= names.length;
  return {
    models: shown.map(geminiModelInfo),
    ...(isLast ? {} : { nextPageToken: Buffer.from(last).toString('base64url') }),
  };
}

/** A page size above the maximum becomes the maximum, as in Google's API. */
function sizeOf(text: string | undefined): number {
  if (text === undefined || text === '') return PAGE.usual;
  if (!/^\d+$/.test(text)) throw wrongField('pageSize', 'int_too_small', { least: 0 });
  return Math.min(Number(text) || PAGE.usual, PAGE.most);
}

function placeAfter(names: readonly string[], token: string): number {
  const index = names.indexOf(Buffer.from(token, 'base64url').toString());
  if (index < 0) throw wrongField('pageToken', 'page_unknown');
  return index + 1;
}

/** One entry. Limits that only the vendor knows are omitted. */
export function geminiModelInfo(id: string) {
  return {
    name: `models/${id}`,
    baseModelId: id,
    version: '001',
    displayName: id,
    description: '',
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    ...(/gemini/i.test(id) ? { thinking: geminiFacts(id).thinking.kind !== 'none' } : {}),
  };
}
