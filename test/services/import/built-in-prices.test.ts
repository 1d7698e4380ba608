/** Model prices of installations whose database does not contain them. */
import { describe, expect, it } from 'vitest';
import { builtInPrice, type SavedPrices } from '../../../src/domain/import/built-in-prices.ts';
import { SOURCE_FAMILIES, type SourceFamily } from '../../../src/domain/import/family.ts';
import {
  NEW_API_PRICES,
  NEW_API_RATIOS,
  VELOERA_PRICES,
  VELOERA_RATIOS,
} from '../../../src/domain/import/ratios-new-api.ts';
import { ONE_API_PICTURES, ONE_API_RATIOS } from '../../../src/domain/import/ratios-one-api.ts';

const UNSAVED: SavedPrices = {
  ModelRatio: undefined,
  ModelPrice: undefined,
  CompletionRatio: undefined,
};
const perToken = (model_ratio: number, completion_ratio: number) => ({
  model_ratio: expect.closeTo(model_ratio, 9),
  completion_ratio: expect.closeTo(completion_ratio, 9),
});

describe('built-in price of a source program', () => {
  it.each<readonly [SourceFamily, string, unknown]>([
    ['one-api', 'gpt-4o', perToken(2.5, 4)],
    ['one-api', 'gpt-4o-2024-05-13', perToken(2.5, 3)],
    ['one-api', 'gpt-3.5-turbo', perToken(0.25, 3)],
    ['one-api', 'gemini-2.0-flash', perToken(0.075, 3)],
    ['one-api', 'deepseek-reasoner', perToken(0.275, 219 / 55)],
    ['one-api', 'ERNIE-4.0-8K', perToken(8.52, 1)],
    ['one-api', 'qwen-max-internet', perToken(0.1704, 1)],
    ['one-api', 'dall-e-3', { model_price: 0.04 }],
    ['one-api', 'deepseek/deepseek-r1:free', perToken(0, 1)],
    ['one-api', 'gpt-5', undefined],
    ['new-api', 'gpt-4o', perToken(1.25, 4)],
    ['new-api', 'gpt-5-mini', perToken(0.125, 8)],
    ['new-api', 'gemini-2.5-flash', perToken(0.15, 25 / 3)],
    ['new-api', 'ERNIE-4.0-8K', perToken((0.12 * 500) / 7.3, 1)],
    ['new-api', 'suno_music', { model_price: 0.1 }],
    ['new-api', 'gpt-4-gizmo-g-123', { model_price: 0.1 }],
    ['new-api', 'house-model', undefined],
    ['veloera', 'gpt-4.5-preview', perToken(37.5, 2)],
    ['veloera', 'deepseek-chat', perToken(0.135, 4)],
    ['veloera', 'gpt-5-mini', undefined],
  ])('for %s and model %s', (family, model, price) => {
    expect(builtInPrice(family, model, UNSAVED)).toEqual(price);
  });

  it('applies beneath a saved map in one-api; a saved map replaces it in the other programs', () => {
    const saved = { ...UNSAVED, ModelRatio: { 'gpt-4o-mini': 1 } };
    const priceIn = (family: SourceFamily) => builtInPrice(family, 'gpt-4o', saved);
    expect(SOURCE_FAMILIES.map(priceIn)).toEqual([perToken(2.5, 4), undefined, undefined]);
  });

  it('supplies the completion ratio if only the model ratio is saved', () => {
    const saved = { ...UNSAVED, ModelRatio: { 'gemini-1.5-pro': 2 } };
    expect(builtInPrice('one-api', 'gemini-1.5-pro', saved)).toEqual(perToken(2, 3));
    const both = { ...saved, CompletionRatio: { 'gemini-1.5-pro': 4 } };
    expect(builtInPrice('one-api', 'gemini-1.5-pro', both)).toBeUndefined();
    expect(
      builtInPrice('new-api', 'gpt-5', {
        ...UNSAVED,
        ModelRatio: { 'gpt-5': 1 },
        CompletionRatio: { 'gpt-5': 2 },
      }),
    ).toEqual(perToken(1, 8));
  });

  it('lists each model once and starts each line with one price', () => {
    const lists = [
      [ONE_API_RATIOS, ONE_API_PICTURES],
      [VELOERA_RATIOS, NEW_API_RATIOS],
      [VELOERA_PRICES, NEW_API_PRICES],
    ];
    for (const texts of lists) {
      const lines = texts
        .join('\n')
        .split('\n')
        .filter((line) => line !== '');
      for (const line of lines) expect(line).toMatch(/^\d+(\.\d+)?¥? \S+( \S+)*$/);
      const models = lines.flatMap((line) => line.split(' ').slice(1));
      expect(models.filter((model, at) => models.indexOf(model) !== at)).toEqual([]);
    }
  });
});
