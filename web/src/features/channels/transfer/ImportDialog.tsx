import { FileButton, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import type { Tone } from '../../../components/display/tones.ts';
import { ProblemNotice } from '../../../components/forms/Form.tsx';
import { DialogFooter } from '../../../components/layout/DialogFooter.tsx';
import { OpenModal } from '../../../components/layout/OpenModal.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { channelKeys } from '../../../lib/api/query-keys.ts';
import { channelTransfer } from '../calls.ts';

type Document = Parameters<typeof channelTransfer.importAll>[0];
type Plan = Awaited<ReturnType<typeof channelTransfer.importAll>>;

/** Imports a channel document, after a preview of its effect. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [file, setFile] = useState<{ readonly name: string; readonly document: Document }>();
  const [isUnreadable, setUnreadable] = useState(false);
  const check = useAction(
    (document: Document) => channelTransfer.importAll({ ...document, dry_run: true }),
    { onFailed: () => undefined },
  );
  const apply = useAction((document: Document) => channelTransfer.importAll(document), {
    touches: [channelKeys],
    done: ({ created, updated }) => t('channel.import.done', { created, updated }),
    onDone: onClose,
    onFailed: () => undefined,
  });
  const read = async (chosen: File | null) => {
    if (chosen === null) return;
    const document = await documentOf(await chosen.text());
    setUnreadable(document === undefined);
    apply.reset();
    if (document === undefined) return;
    setFile({ name: chosen.name, document });
    check.mutate(document);
  };
  const problem = apply.error ?? check.error;
  const plan = check.data;
  const isIdle = plan === undefined || plan.created + plan.updated === 0;
  return (
    <OpenModal onClose={onClose} title={t('channel.batch.import')} size="lg">
      <Stack gap="md">
        <Text>{t('channel.import.text')}</Text>
        <Group>
          <FileButton
            accept="application/json,.json,.yaml,.yml"
            onChange={(chosen) => void read(chosen)}
          >
            {(props) => (
              <SideButton
                {...props}
                icon={IconUpload}
                loading={check.isPending}
                label={t('channel.import.choose')}
              />
            )}
          </FileButton>
          <Dimmed size="sm" truncate>
            {file?.name}
          </Dimmed>
        </Group>
        {isUnreadable && <Notice tone="red">{t('channel.import.unreadable')}</Notice>}
        <ProblemNotice problem={problem} />
        {plan && !isUnreadable && <PlanList plan={plan} />}
        <DialogFooter
          onClose={onClose}
          verb={t('channel.import.verb', { count: plan ? plan.created + plan.updated : 0 })}
          disabled={isIdle || file === undefined || isUnreadable}
          loading={apply.isPending}
          onClick={() => file && apply.mutate(file.document)}
        />
      </Stack>
    </OpenModal>
  );
}

const TONES: Record<Plan['items'][number]['action'], Tone> = {
  create: 'green',
  update: 'blue',
  same: 'grey',
};

function PlanList({ plan }: { readonly plan: Plan }) {
  const { t } = useTranslation();
  const { created, updated, unchanged } = plan;
  return (
    <Stack gap="xs">
      <Text fw={500}>{t('channel.import.plan', { created, updated, unchanged })}</Text>
      <ScrollArea.Autosize
        mah={280}
        tabIndex={0}
        aria-label={t('channel.import.list')}
        // With the default table layout it would grow with its longest line.
        styles={{ content: { display: 'block' } }}
      >
        <Stack gap={6}>
          {plan.items.map(({ name, action, changes }) => (
            <Group key={name} wrap="nowrap">
              <Tag tone={TONES[action]}>{t(`channel.import.${action}`)}</Tag>
              <Text truncate>{name}</Text>
              <Dimmed ff="monospace" truncate title={changes.join(', ')}>
                {action === 'update' && changes.join(', ')}
              </Dimmed>
            </Group>
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Stack>
  );
}

/** A document in JSON or YAML, or the bare list of its channels; the gateway validates the rest. */
async function documentOf(text: string): Promise<Document | undefined> {
  try {
    const value = await parsed(text);
    if (Array.isArray(value)) return { channels: value };
    if (typeof value !== 'object' || value === null || !('channels' in value)) return undefined;
    return Array.isArray(value.channels) ? (value as Document) : undefined; // the gateway checks the rest
  } catch {
    return undefined;
  }
}

/** YAML is read where the text is no JSON, because its parser is slow and not part of the page. */
async function parsed(text: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    const { parse } = await import('yaml');
    return parse(text);
  }
}
