import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { FormPage } from '../../../components/forms/FormPage.tsx';
import { Empty, Loaded } from '../../../components/layout/list-states.tsx';
import type { Channel } from '../calls.ts';
import { isMissing } from '../list/useChannelEdits.ts';
import { ChannelForm } from './ChannelForm.tsx';
import { useChannelEditor, useStoredChannel } from './useChannelEditor.tsx';

const LIST = '/admin/channels';
const WIDTH = 960;

/** The drawer's form on a page with its own URL. */
export function ChannelEditorPage() {
  const { id } = useParams();
  return id === undefined ? <PageForm channel={undefined} /> : <Known id={Number(id)} />;
}

function Known({ id }: { readonly id: number }) {
  const { t } = useTranslation();
  const { query, version, refresh } = useStoredChannel(id);
  const back = (
    <Button component={Link} to={LIST}>
      {t('channel.editor.back')}
    </Button>
  );
  if (isMissing(query.error) && query.data === undefined)
    return <Empty title={t('channel.missing')} action={back} />;
  return (
    <Loaded query={query}>
      {(channel) => <PageForm key={version} channel={channel} onStored={refresh} />}
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
  const { form, title, save, testButton, onInvalid } = useChannelEditor({
    channel,
    onDone: () => navigate(LIST),
    onTestFailed: (saved) => (onStored ? onStored(saved) : navigate(`/channel/edit/${saved.id}`)),
  });
  return (
    <FormPage
      title={title}
      back={{ to: LIST, label: t('channel.editor.back') }}
      width={WIDTH}
      form={form}
      onSubmit={save}
      submitLabel={t('action.submit')}
      extra={testButton}
      onInvalid={onInvalid}
    >
      <ChannelForm form={form} channel={channel} />
    </FormPage>
  );
}
