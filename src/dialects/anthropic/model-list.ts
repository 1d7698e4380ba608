/** GET /v1/models in Anthropic's format (platform.claude.com/docs/en/api/models-list). */
import { wrongField } from '../../domain/errors/field-errors.ts';
import type { Effort } from '../hub/thinking/reasoning.ts';
import { MODEL_CREATED_SEC } from '../openai/endpoints/model-list.ts';
import { type ClaudeFacts, claudeFacts } from './models.ts';

export interface AnthropicModelPage {
  readonly limit: string | undefined;
  readonly before_id: string | undefined;
  readonly after_id: string | undefined;
}

const LIMIT = { usual: 20, most: 1_000 } as const;

/**
 * A page of the names: those after `after_id`, else those directly before `before_id`.
 * @throws AppError field_wrong with the name of the parameter.
 */
export function anthropicModelPage(names: readonly string[], page: AnthropicModelPage) {
  const limit = limitOf(page.limit);
  const { after_id: after, before_id: before } = page;
  const start = after === undefined ? 0 : placeOf(names, 'after_id', after) + 1;
  const end = before === undefined ? names.length : placeOf(names, 'before_id', before);
  const window = names.slice(start, Math.max(start, end));
  const isBackwards = before !== undefined && after === undefined;
  const shown = isBackwards ? window.slice(-limit) : window.slice(0, limit);
  return {
    data: shown.map(anthropicModelInfo),
    has_more: window.length > shown.length,
    first_id: shown[0] ?? null,
    last_id: shown.at(-1) ?? null,
  };
}

function limitOf(text: string | undefined): number {
  if (text === undefined || text === '') return LIMIT.usual;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= LIMIT.most) return limit;
  throw wrongField('limit', 'int_out_of_range', { least: 1, most: LIMIT.most });
}

function placeOf(names: readonly string[], field: string, name: string): number {
  const index = names.indexOf(name);
  if (index >= 0) return index;
  throw wrongField(field, 'model_not_listed');
}

/** One entry. Limits that only the vendor knows are null. */
export function anthropicModelInfo(id: string) {
  return {
    type: 'model',
    id,
    display_name: id,
    created_at: new Date(MODEL_CREATED_SEC * 1000).toISOString(),
    max_input_tokens: null,
    max_tokens: null,
    capabilities: id.toLowerCase().includes('claude') ? capabilitiesOf(claudeFacts(id)) : null,
  };
}

const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/** The capabilities as used by the gateway itself. */
function capabilitiesOf({ efforts, thinking, off }: ClaudeFacts) {
  const can = (supported: boolean) => ({ supported });
  const levels = EFFORTS.map((level) => [level, can(efforts.includes(level))]);
  return {
    effort: { ...can(efforts.length > 0), ...Object.fromEntries(levels) },
    thinking: {
      ...can(thinking !== 'none'),
      types: {
        adaptive: can(thinking === 'adaptive'),
        between_tools: can(off === 'between_tools'),
        disabled: can(off === 'disabled'),
        enabled: can(thinking === 'budget'),
      },
    },
  };
}
