import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { FormPage } from '../../../components/forms/FormPage.tsx';
import { fieldErrors } from '../../../components/forms/field-errors.ts';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { account, type Self } from '../../../lib/api/account.ts';
import { selfKeys, userKeys } from '../../../lib/api/query-keys.ts';
import { storeUser, useUser } from '../../../lib/session/session.ts';
import { type SelfValues, selfInput, selfProblems } from './user-form.ts';

/** Edits the user's own account, for the form's URL without an id. */
export function EditSelfPage() {
  const id = useUser()?.id ?? 0;
  const query = useQuery({
    queryKey: selfKeys.one(id),
    queryFn: ({ signal }) => account.self({}, { signal }),
  });
  return <Loaded query={query}>{(self) => <EditSelf self={self} />}</Loaded>;
}

function EditSelf({ self }: { readonly self: Self }) {
  const { t } = useTranslation();
  const { username, display_name } = self;
  const form = useForm<SelfValues>({
    initialValues: { username, display_name, password: '' },
    validate: (values) =>
      fieldErrors(selfProblems(values, self), (problem) => t(`user.error.${problem}`)),
  });
  return (
    <FormPage
      title={t('user.editSelf')}
      back={{ to: '/app/me', label: t('nav.me') }}
      width={640}
      form={form}
      onSubmit={(values: SelfValues) => account.editSelf(selfInput(values))}
      touches={[selfKeys, userKeys]}
      done={() => t('user.saved')}
      onDone={({ id, username, display_name, role, status, group }) => {
        storeUser({ id, username, display_name, role, status, group });
        form.setValues({ password: '' });
      }}
    >
      <TextInput
        {...form.getInputProps('username')}
        label={t('common.username')}
        description={t('user.usernameHint')}
        autoComplete="username"
      />
      <TextInput {...form.getInputProps('display_name')} label={t('common.displayName')} />
      <PasswordInput
        {...form.getInputProps('password')}
        label={t('user.newPassword')}
        description={t('user.passwordKept')}
      />
    </FormPage>
  );
}
