import { type UseFormReturnType, useForm } from '@mantine/form';
import ipaddr from 'ipaddr.js';
import { useTranslation } from 'react-i18next';
import { BLANK_TOKEN, type Problem, type TokenValues, tokenProblems } from './token-form.ts';

export type TokenForm = UseFormReturnType<TokenValues>;

/** @param isNew an edited token may keep an unchanged expiry that has passed. */
export function useTokenForm(isNew: boolean): TokenForm {
  const { t } = useTranslation();
  const form = useForm<TokenValues>({
    initialValues: BLANK_TOKEN,
    validate: (values) => {
      const problems = tokenProblems(values, {
        nowSec: Date.now() / 1000,
        before: isNew ? undefined : form.getInitialValues(),
        isAddress,
      });
      return Object.fromEntries(
        Object.entries<Problem | undefined>(problems).map(([field, problem]) => [
          field,
          problem && t(`token.error.${problem}`),
        ]),
      );
    },
  });
  return form;
}

function isAddress(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
}
