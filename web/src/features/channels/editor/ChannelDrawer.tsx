import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { FormDrawer } from '../../../components/forms/FormDrawer.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import type { Channel } from '../calls.ts';
import { isMissing } from '../list/useChannelEdits.ts';
import { ChannelForm } from './ChannelForm.tsx';
import { useChannelEditor, useStoredChannel } from './useChannelEditor.tsx';

const WIDTH = 860;

interface EditorDrawerProps {
  /** From the URL: '' is closed, `new` is an empty form. */
  readonly id: string;
  readonly onId: (id: string) => void;
}

/** The editor beside the list, which keeps its filters, page and scroll position. */
export function ChannelDrawer({ id, onId }: EditorDrawerProps) {
  if (id === '') return null;
  if (id === 'new') return <Drawn channel={undefined} onId={onId} />;
  return <Known key={id} id={Number(id)} onId={onId} />;
}

function Known({ id, onId }: { readonly id: number; readonly onId: (id: string) => void }) {
  const { t } = useTranslation();
  const { query, version, refresh } = useStoredChannel(id);
  const { data, error } = query;
  useEffect(() => {
    if (error === null || data !== undefined) return;
    if (isMissing(error)) toast.error(t('channel.missing'));
    else toast.failure(error);
    onId('');
  }, [error, data, onId, t]);
  if (data === undefined) return null;
  return <Drawn key={version} channel={data} onId={onId} onStored={refresh} />;
}

interface DrawnProps {
  readonly channel: Channel | undefined;
  readonly onId: (id: string) => void;
  readonly onStored?: (saved: Channel) => void;
}

function Drawn({ channel, onId, onStored }: DrawnProps) {
  const { t } = useTranslation();
  const close = () => onId('');
  const { form, title, save, testButton, onInvalid } = useChannelEditor({
    channel,
    onDone: close,
    onTestFailed: (saved) => (onStored ? onStored(saved) : onId(String(saved.id))),
  });
  return (
    <FormDrawer
      isOpen
      staysOpen
      width={WIDTH}
      onClose={close}
      title={title}
      form={form}
      onSubmit={save}
      submitLabel={t('action.submit')}
      onInvalid={onInvalid}
      extra={testButton}
    >
      <ChannelForm form={form} channel={channel} />
    </FormDrawer>
  );
}
