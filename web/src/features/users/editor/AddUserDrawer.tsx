import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { toast } from '../../../components/layout/toasts.tsx';
import { useFilledForm } from '../../../hooks/useFilledForm.ts';
import { userKeys } from '../../../lib/api/query-keys.ts';
import { users } from '../calls.ts';
import { BLANK_USER, type NewUserValues, newUserInput, newUserProblems } from './user-form.ts';

interface AddUserDrawerProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function AddUserDrawer({ isOpen, onClose }: AddUserDrawerProps) {
  const { t } = useTranslation();
  const form = useForm<NewUserValues>({
    initialValues: BLANK_USER,
    validate: (values) =>
      fieldErrors(newUserProblems(values), (problem) => t(`user.error.${problem}`)),
  });
  useFilledForm(form, isOpen ? 'new' : undefined, () => BLANK_USER);
  return (
    <FormDrawer
      isOpen={isOpen}
      onClose={onClose}
      title={t('user.add')}
      form={form}
      onSubmit={(values: NewUserValues) => users.create(newUserInput(values))}
      submitLabel={t('action.submit')}
      touches={[userKeys]}
      done={({ username }) => t('user.added', { name: username })}
      onInvalid={() => {
        const { username, password } = form.getValues();
        if (username.trim() === '' || password === '') toast.error(t('user.error.required'));
      }}
    >
      <TextInput
        {...form.getInputProps('username')}
        label={t('common.username')}
        description={t('user.usernameHint')}
        autoComplete="off"
        data-autofocus
        required
      />
      <TextInput
        {...form.getInputProps('display_name')}
        label={t('common.displayName')}
        autoComplete="off"
      />
      <PasswordInput
        {...form.getInputProps('password')}
        label={t('common.password')}
        description={t('common.passwordHint')}
        required
      />
    </FormDrawer>
  );
}
