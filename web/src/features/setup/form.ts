/** The form of the first-run set-up, and the step of each field. */
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import type { SetupState as SetupStateReply } from '../../../../src/api/site/setup.ts';
import { isLanguage, type Language } from '../../../../src/domain/languages.ts';
import { requiredWebAddress } from '../../../../src/domain/options/checks.ts';
import { MIN_PASSWORD_LENGTH } from '../../components/identity/PasswordRules.tsx';

export type SetupState = z.output<typeof SetupStateReply>;
export const SETUP_MODES = ['external', 'self', 'demo'] as const;

export interface SetupValues {
  readonly code: string;
  readonly username: string;
  readonly password: string;
  readonly confirmPassword: string;
  readonly mode: (typeof SETUP_MODES)[number];
  readonly DefaultLanguage: Language;
  readonly ServerAddress: string;
  readonly trust_proxy: boolean;
}

export const SETUP_STEPS = ['database', 'admin', 'mode', 'review'] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

/** The step of each field that can be invalid. */
export const STEP_OF_FIELD: Readonly<Record<string, SetupStep>> = {
  code: 'database',
  username: 'admin',
  password: 'admin',
  confirmPassword: 'admin',
  ServerAddress: 'mode',
};

/** `code`: the one-time code from the link, empty without one. */
export function useSetupForm(state: SetupState, code: string) {
  const { t, i18n } = useTranslation();
  const initialValues: SetupValues = {
    code,
    username: 'root',
    password: '',
    confirmPassword: '',
    mode: 'external',
    DefaultLanguage: isLanguage(i18n.language) ? i18n.language : 'zh',
    ServerAddress: window.location.origin,
    trust_proxy: false,
  };
  return useForm({
    initialValues,
    validate: {
      code: (value) => (state.code_needed && value.trim() === '' ? t('setup.codeNeeded') : null),
      username: (value) => (value.trim() === '' ? t('setup.usernameNeeded') : null),
      password: (value) =>
        value.length < MIN_PASSWORD_LENGTH ? t('common.passwordTooShort') : null,
      ServerAddress: (value) =>
        requiredWebAddress(value.trim()) === undefined ? null : t('common.urlWrong'),
      confirmPassword: (value, { password }) =>
        value === password ? null : t('common.passwordsDiffer'),
    },
  });
}

export type SetupForm = ReturnType<typeof useSetupForm>;

/** Checks only this step's fields: later ones are still empty. */
export function isStepValid(form: SetupForm, step: SetupStep): boolean {
  const fields = Object.keys(STEP_OF_FIELD).filter((field) => STEP_OF_FIELD[field] === step);
  const checks = fields.map((field) => form.validateField(field as keyof SetupValues)); // keys of the same table
  return checks.every(({ hasError }) => !hasError);
}
