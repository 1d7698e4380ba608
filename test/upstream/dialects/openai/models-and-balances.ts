/** Fixed responses: model lists, balances and moderations. */
import { filledFor, templates, type Values } from '../../answers/templates.ts';
import { type ModerationBody, textOf } from './request-fields.ts';

const LISTS = templates('models');

interface Model {
  readonly id: string;
}

const MODELS = filledFor(LISTS, 'openai')?.data as readonly Model[]; // our own list

/** The models in the form of a vendor, or the clouds' own lists; by default OpenAI's. */
export function modelList(name: string): unknown {
  return name === 'github' ? MODELS : (filledFor(LISTS, name) ?? filledFor(LISTS, 'openai'));
}

export function modelNamed(id: string): Model | undefined {
  return MODELS.find((model) => model.id === id);
}

/** One prepaid account of every key: 100 USD granted, 25 used. */
const BALANCES = templates('balances');

export function balanceOf(page: string): unknown {
  return filledFor(BALANCES, page);
}

const MODERATIONS = templates('moderations');

/** Flags every input that mentions violence, so that tests can get both results. */
export function composeModeration(body: ModerationBody, id: string): Values | undefined {
  const texts = typeof body.input === 'string' ? [body.input] : body.input;
  const isParts = texts.some((text) => typeof text !== 'string');
  const words = texts.map((text) => (typeof text === 'string' ? text : textOf([text])));
  const verdicts = (isParts ? [words.join(' ')] : words).map((text) => {
    const isViolent = /violen/i.test(text);
    return filledFor(MODERATIONS, 'verdict', { isViolent, violence: isViolent ? 0.98 : 0.02 });
  });
  const model = body.model ?? 'omni-moderation-latest';
  return filledFor(MODERATIONS, 'whole', { id, model, verdicts });
}
