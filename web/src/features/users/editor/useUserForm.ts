import { useForm } from '@mantine/form';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { type User, users } from '../calls.ts';
import {
  BLANK_USER_VALUES,
  type UserValues,
  userChange,
  userProblems,
  userValues,
} from './user-form.ts';

/** The form of one account, for the drawer and the page. */
export function useUserForm(user: User | undefined) {
  const { t } = useTranslation();
  // Idempotency key while the form is open: a retry does not add the quota twice.
  const additionKey = useRef('');
  const form = useForm<UserValues>({
    initialValues: BLANK_USER_VALUES,
    validate: (values) => {
      const problems = userProblems(values, form.getInitialValues());
      return fieldErrors(problems, (problem) => t(`user.error.${problem}`));
    },
  });
  useFilledForm(form, user?.id, () => {
    additionKey.current = newKey();
    return user ? userValues(user) : BLANK_USER_VALUES;
  });
  const onSubmit = async (values: UserValues) => {
    if (user === undefined) return;
    const { edit, added } = userChange(user.id, values, form.getInitialValues());
    await users.edit(edit);
    if (added !== 0)
      await users.setQuota({ id: user.id, mode: 'add', units: added, key: additionKey.current });
    additionKey.current = newKey();
  };
  return { form, onSubmit, touches: [userKeys], done: () => t('user.saved') };
}

/** Not `randomUUID`, which is unavailable on plain-http sites. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console:${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
