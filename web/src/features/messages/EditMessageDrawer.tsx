import { Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import type { Recipient as RecipientReply } from '../../../../src/api/messaging/message.ts';
import { numberText } from '../../../../src/domain/text/number-text.ts';
import type { Column } from '../../components/data-table/columns.ts';
import { DataTable } from '../../components/data-table/DataTable.tsx';
import { Fact } from '../../components/display/Fact.tsx';
import { FullTime } from '../../components/display/RelativeTime.tsx';
import { FormDrawer } from '../../components/forms/FormDrawer.tsx';
import { fieldErrors } from '../../components/forms/field-errors.ts';
import { Empty } from '../../components/layout/list-states.tsx';
import { useFilledForm } from '../../hooks/useFilledForm.ts';
import { useInnerList } from '../../hooks/useList.ts';
import { useDrawerRecord } from '../../hooks/useRecord.ts';
import { messageKeys } from '../../lib/api/query-keys.ts';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { epochSeconds } from '../../lib/text/dates.ts';
import { type Message, messages } from './calls.ts';
import { type MessageText, textInput, textProblems } from './form.ts';
import { MessageEditor } from './MessageEditor.tsx';

const BLANK: MessageText = { title: '', content: '', format: 'markdown' };

interface EditMessageDrawerProps {
  /** '' is closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function EditMessageDrawer({ id, onClose }: EditMessageDrawerProps) {
  const { t } = useTranslation();
  const message = useDrawerRecord(messageKeys, id, messages.get, onClose);
  const form = useForm<MessageText>({
    initialValues: BLANK,
    validate: (values) =>
      fieldErrors(textProblems(values), (problem) => t(`message.error.${problem}`)),
  });
  useFilledForm(form, message?.id, () => (message ? textOf(message) : BLANK));
  return (
    <FormDrawer
      isOpen={message !== undefined}
      onClose={onClose}
      title={t('message.edit')}
      form={form}
      onSubmit={(values: MessageText) => messages.edit({ id: Number(id), ...textInput(values) })}
      touches={[messageKeys]}
      done={() => t('message.saved')}
      width={720}
    >
      {message && <Summary message={message} />}
      <MessageEditor form={form} />
      {message && <RecipientTable key={message.id} messageId={message.id} />}
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
      <Fact name={t('common.created')}>
        <FullTime at={epochSeconds(created_at)} />
      </Fact>
      <Fact name={t('message.recipients')}>{numberText(stats.total_recipients)}</Fact>
      <Fact name={t('message.readCount')}>{numberText(stats.read_count)}</Fact>
    </Group>
  );
}

type Recipient = z.output<typeof RecipientReply>;

/** The recipients of a message and when each first opened it. */
function RecipientTable({ messageId }: { readonly messageId: number }) {
  const { t } = useTranslation();
  const list = useInnerList(
    (query) => messageKeys.part('recipients', query),
    { id: messageId },
    messages.recipients,
  );
  return (
    <section aria-label={t('message.recipients')}>
      <Text fw={500} mb={4}>
        {t('message.recipients')}
      </Text>
      <DataTable
        {...list.tableProps}
        id="recipient"
        label={t('message.recipients')}
        rowId={(recipient) => recipient.user_id}
        columns={recipientColumns(t)}
        empty={<Empty title={t('message.noRecipients')} />}
      />
    </section>
  );
}

function recipientColumns(t: TFunction): readonly Column<Recipient>[] {
  return [
    {
      key: 'username',
      title: t('common.username'),
      card: 'title',
      render: ({ username, user_id }) => <Name text={username || `#${user_id}`} />,
    },
    {
      key: 'display_name',
      title: t('common.displayName'),
      render: ({ display_name }) => <Name text={display_name} />,
    },
    {
      key: 'read_at',
      title: t('message.readAt'),
      render: ({ read_at }) => (
        <FullTime
          at={read_at === null ? undefined : epochSeconds(read_at)}
          none={t('message.unread')}
        />
      ),
    },
  ];
}

function Name({ text }: { readonly text: string }) {
  const isHidden = usePrivacy();
  return (
    <Text truncate maw={180} title={isHidden ? undefined : text}>
      {isHidden ? '•••' : text}
    </Text>
  );
}
