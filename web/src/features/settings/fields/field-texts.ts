import { useTranslation } from 'react-i18next';
import type { OptionProblem } from '../../../../../src/domain/options/problems.ts';
import { isOptionKey, type OptionKey } from '../../../../../src/domain/options/registry.ts';
import type { ShapeName } from '../../../../../src/domain/options/shapes.ts';
import { type FormKey, LEGACY_OPTIONS } from '../sections/tabs.ts';

export function isFormKey(key: string): key is FormKey {
  return isOptionKey(key) && !LEGACY_OPTIONS.some((legacy) => legacy === key);
}

/** Translated names of options and their validation errors. */
export function useFieldTexts() {
  const { t } = useTranslation();
  const name = (key: OptionKey | string): string =>
    isFormKey(key) ? t(`setting.name.${key}`) : key;
  const problem = ({ reason, params }: OptionProblem): string =>
    t(`setting.problem.${reason}`, {
      ...params,
      ...('other' in params && { other: name(String(params.other)) }),
      // The name is a key of the shapes' table.
      ...('shape_name' in params && {
        shape: t(`setting.shape.${params.shape_name as ShapeName}`),
      }),
    });
  return { name, problem };
}
