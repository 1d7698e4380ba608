import {
  Button,
  Divider,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { CopyText, copyText } from '../../../components/display/copy.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { MIN_PASSWORD_LENGTH, PasswordRules } from '../../../components/identity/PasswordRules.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { account, type Self } from '../../../lib/api/account.ts';
import { selfKeys } from '../../../lib/api/query-keys.ts';
import { endSession } from '../../../lib/session/session.ts';
import { SecuritySection } from './SecuritySection.tsx';
import { Sessions } from './Sessions.tsx';

/** Password, access token, sessions and closing the account. */
export function SecurityPanel({ self }: { readonly self: Self }) {
  return (
    <Stack gap="lg">
      <ChangePassword />
      <Divider />
      <AccessToken hasOne={self.has_access_token} />
      <Divider />
      <Sessions />
      <Divider />
      <CloseAccount username={self.username} />
    </Stack>
  );
}

/** The access token for account-management programs; the gateway stores only its hash. */
function AccessToken({ hasOne }: { readonly hasOne: boolean }) {
  const { t } = useTranslation();
  const [made, setMade] = useState<string | undefined>(undefined);
  const make = useAction(() => account.newToken({}), {
    onDone: async (token) => {
      setMade(token);
      if (await copyText(token)) toast.success(t('account.token.done'));
    },
    touches: [selfKeys],
    ...(hasOne && {
      confirm: () => ({
        title: t('account.token.ask'),
        text: t('account.token.askHint'),
        verb: t('account.token.make'),
      }),
    }),
  });
  const end = useAction(() => account.endToken({}), {
    done: () => t('account.token.ended'),
    onDone: () => setMade(undefined),
    confirm: () => ({
      title: t('account.token.askEnd'),
      text: t('account.token.askEndHint'),
      verb: t('account.token.end'),
      isDanger: true,
    }),
  });
  return (
    <SecuritySection title={t('account.token.title')} hint={t('account.token.hint')}>
      {made !== undefined && (
        <Notice tone="green" title={t('account.token.once')}>
          <CopyText text={made} label={t('action.copy')} />
        </Notice>
      )}
      <Group>
        <SideButton
          loading={make.isPending}
          label={t('account.token.make')}
          onClick={() => make.run(undefined)}
        />
        <Button
          variant="subtle"
          color="danger"
          loading={end.isPending}
          onClick={() => end.run(undefined)}
        >
          {t('account.token.end')}
        </Button>
      </Group>
    </SecuritySection>
  );
}

const BLANK = { password: '', again: '' };

/** The app's own dialog asks for the current password if the session is not recent enough. */
function ChangePassword() {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: BLANK,
    validate: {
      password: (typed) =>
        typed.length < MIN_PASSWORD_LENGTH ? t('account.password.short') : null,
      again: (typed, { password }) => (typed === password ? null : t('account.password.differ')),
    },
  });
  const submission = useSubmit(form, ({ password }) => account.editSelf({ password }), {
    touches: [selfKeys],
    done: () => t('account.password.done'),
    onDone: () => form.reset(),
  });
  const { password, again } = form.getValues();
  return (
    <SecuritySection title={t('account.password.title')} hint={t('account.password.hint')}>
      <Form onSubmit={submission.submit}>
        <Stack gap="sm" maw={360}>
          <ProblemNotice problem={submission.problem} />
          <Secret name="password" {...form.getInputProps('password')} />
          <Secret name="again" {...form.getInputProps('again')} />
          <PasswordRules password={password} again={again} />
          <div>
            <Button type="submit" loading={submission.isBusy}>
              {t('account.password.change')}
            </Button>
          </div>
        </Stack>
      </Form>
    </SecuritySection>
  );
}

function Secret({ name, ...input }: { readonly name: keyof typeof BLANK }) {
  const { t } = useTranslation();
  return <PasswordInput {...input} label={t(`account.password.${name}`)} />;
}

/** Closes the account; the user must type a confirmation. */
function CloseAccount({ username }: { readonly username: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const cache = useQueryClient();
  const [typed, setTyped] = useState('');
  const close = useAction(() => account.closeSelf({}), {
    onDone: async () => {
      endSession();
      cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' });
      toast.success(t('account.close.done'));
      await navigate('/login', { replace: true });
    },
  });
  return (
    <Stack
      component="section"
      gap="sm"
      p="sm"
      bd="1px solid var(--tone-red-text)"
      bdrs="md"
      aria-label={t('account.close.title')}
    >
      <div>
        <Title order={2} fz={14} c="var(--tone-red-text)">
          {t('account.close.title')}
        </Title>
        <Text>{t('account.close.hint')}</Text>
      </div>
      <Group align="flex-end">
        <TextInput
          flex="1 1 200px"
          label={t('account.close.type', { name: username })}
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Button
          color="danger"
          disabled={typed !== username}
          loading={close.isPending}
          onClick={() => close.mutate(undefined)}
        >
          {t('account.close.verb')}
        </Button>
      </Group>
    </Stack>
  );
}
