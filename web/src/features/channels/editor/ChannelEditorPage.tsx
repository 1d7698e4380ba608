import { Anchor, Button, Card, Group, Stack } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { WrongFields } from '../../../components/forms/WrongFields.tsx';
import { Empty, Loaded } from '../../../components/layout/list-states.tsx';
import { PageHeader } from '../../../components/layout/PageHeader.tsx';
import { useLeaveGuard } from '../../../hooks/useLeaveGuard.ts';
import { useSubmit } from '../../../hooks/useSubmit.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { type Channel, channels } from '../calls.ts';
import { isMissing } from '../list/useChannelEdits.ts';
import { LastTest } from '../tests/LastTest.tsx';
import classes from './ChannelEditor.module.css';
import { ChannelForm } from './ChannelForm.tsx';
import { useChannelEditor } from './useChannelEditor.ts';

const LIST = '/admin/channels';

/** The drawer's form on a page with its own URL. */
export function ChannelEditorPage() {
  const { t } = useTranslation();
  const { id } = useParams();
  return (
    <div className={classes.page}>
      <Anchor component={Link} to={LIST} size="sm" mb="xs" display="inline-flex" style={{ gap: 4 }}>
        <IconArrowLeft size={16} aria-hidden />
        {t('channel.editor.back')}
      </Anchor>
      {id === undefined ? (
        <>
          <PageHeader title={t('channel.add')} />
          <PageForm channel={undefined} />
        </>
      ) : (
        <Known id={Number(id)} />
      )}
    </div>
  );
}

function Known({ id }: { readonly id: number }) {
  const { t } = useTranslation();
  const cache = useQueryClient();
  const [version, setVersion] = useState(0);
  const query = useQuery({
    queryKey: channelKeys.one(id),
    queryFn: ({ signal }) => channels.get({ id, reveal: false }, { signal }),
  });
  if (isMissing(query.error) && query.data === undefined)
    return <Empty title={t('channel.missing')} />;
  return (
    <Loaded query={query}>
      {(channel) => (
        <>
          <PageHeader title={t('channel.editor.edit', { name: channel.name, id })} />
          <PageForm
            key={version}
            channel={channel}
            onStored={(saved) => {
              cache.setQueryData(channelKeys.one(id), saved);
              setVersion(version + 1);
            }}
          />
        </>
      )}
    </Loaded>
  );
}

interface PageFormProps {
  readonly channel: Channel | undefined;
  readonly onStored?: (saved: Channel) => void;
}

function PageForm({ channel, onStored }: PageFormProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const isDone = useRef(false);
  const leave = (to: string) => {
    isDone.current = true;
    void navigate(to);
  };
  const { form, save, saveAndTest, onInvalid } = useChannelEditor({
    channel,
    onDone: () => leave(LIST),
    onTestFailed: (saved) => (onStored ? onStored(saved) : leave(`/channel/edit/${saved.id}`)),
  });
  const { isBusy, problem, submit } = useSubmit(form, save, onInvalid);
  useLeaveGuard(() => form.isDirty() && !isDone.current);
  return (
    <Card padding="lg" className={classes.card}>
      <Form onSubmit={submit} hasShortcut>
        <Stack gap="md">
          <ProblemNotice problem={problem} />
          {channel && <LastTest channel={channel} />}
          <ChannelForm form={form} channel={channel} />
        </Stack>
        <Group className={classes.pageFooter} gap="xs" align="flex-end">
          <Button variant="default" onClick={() => saveAndTest(() => void submit())}>
            {t('channel.editor.saveAndTest')}
          </Button>
          <Group flex={1} justify="flex-end" gap="xs">
            <WrongFields count={Object.keys(form.errors).length} />
            <Button variant="default" component={Link} to={LIST}>
              {t('action.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {t('action.submit')}
            </Button>
          </Group>
        </Group>
      </Form>
    </Card>
  );
}
