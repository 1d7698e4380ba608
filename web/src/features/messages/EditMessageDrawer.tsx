import { Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { FormDrawer } from '../../components/forms/FormDrawer.tsx';
import { say } from '../../components/layout/toasts.tsx';
import { useAction } from '../../hooks/useAction.ts';
import { useFilledForm } from '../../hooks/useFilledForm.ts';
import { type Message, messageKeys, messages, secondsOf } from './calls.ts';
import { type MessageText, textInput, textProblems } from './form.ts';
import { MessageEditor } from './MessageEditor.tsx';
import { problemTexts } from './problem-texts.ts';
import { RecipientTable } from './RecipientTable.tsx';

const BLANK: MessageText = { title: '', content: '', format: 'markdown' };

interface EditMessageDrawerProps {
  /** '' is closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function EditMessageDrawer({ id, onClose }: EditMessageDrawerProps) {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: messageKeys.one(id),
    queryFn: ({ signal }) => messages.get({ id: Number(id) }, { signal }),
    enabled: /^\d+$/.test(id),
    // A form must start with the stored values.
    staleTime: 0,
    gcTime: 0,
  });
  const message = id === '' ? undefined : data;
  const form = useForm<MessageText>({
    initialValues: BLANK,
    validate: (values) => problemTexts(t, textProblems(values)),
  });
  useFilledForm(form, message?.id, () => (message ? textOf(message) : BLANK));
  const save = useAction(
    (values: MessageText) => messages.edit({ id: Number(id), ...textInput(values) }),
    { touches: [messageKeys], done: () => t('message.saved'), isQuiet: true },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes once per refusal
  useEffect(() => {
    if (error === null || id === '') return;
    say.failure(error);
    onClose();
  }, [error]);
  return (
    <FormDrawer
      isOpen={message !== undefined}
      onClose={onClose}
      title={t('message.edit')}
      form={form}
      onSubmit={save.mutateAsync}
      submitLabel={t('action.save')}
      width={720}
    >
      {data && <Summary message={data} />}
      <MessageEditor form={form} />
      {data && <RecipientTable key={data.id} messageId={data.id} />}
    </FormDrawer>
  );
}

function textOf({ title, content, format }: Message): MessageText {
  return { title, content, format };
}

function Summary({ message }: { readonly message: Message }) {
  const { t } = useTranslation();
  const { id, created_at, stats } = message;
  return (
    <Group gap="md" component="dl" m={0}>
      <Fact name={t('message.messageId')}>{id}</Fact>
      <Fact name={t('message.created')}>
        <FullTime at={secondsOf(created_at)} />
      </Fact>
      <Fact name={t('message.recipients')}>{stats.total_recipients.toLocaleString('en-US')}</Fact>
      <Fact name={t('message.readCount')}>{stats.read_count.toLocaleString('en-US')}</Fact>
    </Group>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Stack gap={0}>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0}>
        {children}
      </Text>
    </Stack>
  );
}
