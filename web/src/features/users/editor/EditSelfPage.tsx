import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import type { Self } from '../../../../../src/api/accounts/account.ts';
import { Loaded } from '../../../components/layout/list-states.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { keepUser, useUser } from '../../../lib/session/session.ts';
import { ownAccount, selfKeys, userKeys } from '../calls.ts';
import { FormPage } from './FormPage.tsx';
import { type SelfValues, selfInput, selfProblems } from './user-form.ts';
import { problemTexts } from './user-problems.ts';

/** Edits the user's own account, for the form's URL without an id. */
export function EditSelfPage() {
  const id = useUser()?.id ?? 0;
  const query = useQuery({
    queryKey: selfKeys.one(id),
    queryFn: ({ signal }) => ownAccount.self({}, { signal }),
  });
  return <Loaded query={query}>{(account) => <EditSelf account={account} />}</Loaded>;
}

function EditSelf({ account }: { readonly account: z.output<typeof Self> }) {
  const { t } = useTranslation();
  const { username, display_name } = account;
  const form = useForm<SelfValues>({
    initialValues: { username, display_name, password: '' },
    validate: (values) => problemTexts(t, selfProblems(values, account)),
  });
  const save = useAction((values: SelfValues) => ownAccount.editSelf(selfInput(values)), {
    touches: [selfKeys, userKeys],
    done: () => t('user.saved'),
    isQuiet: true,
    onDone: ({ id, username, display_name, role, status, group }) => {
      keepUser({ id, username, display_name, role, status, group });
      form.setValues({ password: '' });
    },
  });
  return (
    <FormPage
      title={t('user.editSelf')}
      back={{ to: '/app/me', label: t('nav.me') }}
      form={form}
      onSubmit={save.mutateAsync}
    >
      <TextInput
        {...form.getInputProps('username')}
        label={t('user.username')}
        description={t('user.usernameHint')}
        autoComplete="username"
      />
      <TextInput {...form.getInputProps('display_name')} label={t('user.displayName')} />
      <PasswordInput
        {...form.getInputProps('password')}
        label={t('user.newPassword')}
        description={t('user.passwordKept')}
        autoComplete="new-password"
      />
    </FormPage>
  );
}
