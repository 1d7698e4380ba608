import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { BLANK_CODE, type CodeValues, codeProblems, type Problem } from './code-form.ts';

export function useCodeForm(isNew: boolean) {
  const { t } = useTranslation();
  return useForm<CodeValues>({
    initialValues: BLANK_CODE,
    validate: (values) => {
      const problems = Object.entries<Problem | undefined>(codeProblems(values, isNew));
      return Object.fromEntries(
        problems.map(([field, problem]) => [field, problem && t(`redemption.error.${problem}`)]),
      );
    },
  });
}
