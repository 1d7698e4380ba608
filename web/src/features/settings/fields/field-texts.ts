import { useTranslation } from 'react-i18next';
import {
  OPTION_PROBLEMS,
  type OptionProblem,
  type ProblemReason,
} from '../../../../../src/domain/options/problems.ts';
import { isOptionKey, type OptionKey } from '../../../../../src/domain/options/registry.ts';
import type { ShapeName } from '../../../../../src/domain/options/shapes.ts';
import { problemText } from '../../../components/forms/call-problem.ts';
import { ApiError } from '../../../lib/api/api.ts';
import { type FormKey, LEGACY_OPTIONS } from '../sections/tabs.ts';

export function isFormKey(key: string): key is FormKey {
  return isOptionKey(key) && !LEGACY_OPTIONS.some((legacy) => legacy === key);
}

/** Translated names of options and the reasons for refusing their values. */
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
  /** Why the server refused an option. */
  const failure = (error: unknown): string => {
    const refusal = error instanceof ApiError ? refusalOf(error) : undefined;
    return refusal === undefined ? problemText(t, error) : problem(refusal);
  };
  return { name, problem, failure };
}

function refusalOf({ fields: [first] }: ApiError): OptionProblem | undefined {
  if (first === undefined || !(first.code in OPTION_PROBLEMS)) return undefined;
  return { reason: first.code as ProblemReason, params: first.params }; // a key of the table
}
