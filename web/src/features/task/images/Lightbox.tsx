import { ActionIcon, Group, Modal, Text, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import {
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconExternalLink,
  IconZoomIn,
  IconZoomOut,
} from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ToolButton } from '../../../components/display/ToolButton.tsx';
import type { ImageTask } from '../calls.ts';
import classes from '../Task.module.css';
import { mediaUrl } from './media.ts';

interface LightboxProps {
  /** Row id of the image task shown; '' is closed. */
  readonly id: string;
  readonly onId: (id: string) => void;
  /** The page's image tasks that have an image. */
  readonly imageTasks: readonly ImageTask[];
}

const ZOOMS = [1, 1.5, 2, 3] as const;

/** One large image, with links to the previous and next. */
export function Lightbox({ id, onId, imageTasks }: LightboxProps) {
  const { t } = useTranslation();
  const [zoom, setZoom] = useState(0);
  const index = imageTasks.findIndex((imageTask) => String(imageTask.id) === id);
  const imageTask = imageTasks[index];
  const go = (step: number) => {
    const next = imageTasks[index + step];
    if (next === undefined) return;
    setZoom(0);
    onId(String(next.id));
  };
  useHotkeys(
    imageTask === undefined
      ? []
      : [
          ['ArrowLeft', () => go(-1)],
          ['ArrowRight', () => go(1)],
        ],
  );
  const address = imageTask === undefined ? '' : mediaUrl(imageTask.image_url);
  return (
    <Modal
      opened={imageTask !== undefined}
      onClose={() => {
        setZoom(0);
        onId('');
      }}
      size="min(1100px, 94vw)"
      title={imageTask?.mj_id}
    >
      {imageTask && (
        <>
          <section
            className={classes.stage}
            data-zoomed={zoom > 0 || undefined}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: an image larger than the window scrolls by arrow keys
            tabIndex={0}
            aria-label={t('task.image')}
          >
            <img src={address} alt={imageTask.prompt} style={{ zoom: ZOOMS[zoom] ?? 1 }} />
          </section>
          <Group gap="md" justify="space-between" mt="sm" wrap="nowrap">
            <Text className={classes.caption}>{imageTask.prompt}</Text>
            <Group gap={4} wrap="nowrap">
              <ToolButton
                label={t('task.image.previous')}
                disabled={index <= 0}
                onClick={() => go(-1)}
                icon={IconChevronLeft}
                iconSize={18}
              />
              <ToolButton
                label={t('task.image.next')}
                disabled={index >= imageTasks.length - 1}
                onClick={() => go(1)}
                icon={IconChevronRight}
                iconSize={18}
              />
              <ToolButton
                label={t('task.image.smaller')}
                disabled={zoom === 0}
                onClick={() => setZoom(zoom - 1)}
                icon={IconZoomOut}
                iconSize={18}
              />
              <ToolButton
                label={t('task.image.larger')}
                disabled={zoom === ZOOMS.length - 1}
                onClick={() => setZoom(zoom + 1)}
                icon={IconZoomIn}
                iconSize={18}
              />
              <Link label={t('common.download')} href={address} download={imageTask.mj_id}>
                <IconDownload size={18} />
              </Link>
              <Link label={t('task.image.original')} href={address}>
                <IconExternalLink size={18} />
              </Link>
            </Group>
          </Group>
        </>
      )}
    </Modal>
  );
}

interface LinkProps {
  readonly label: string;
  readonly href: string;
  readonly download?: string;
  readonly children: ReactNode;
}

function Link({ label, href, download, children }: LinkProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        component="a"
        size={32}
        aria-label={label}
        href={href}
        target="_blank"
        rel="noopener noreferrer"
        {...(download !== undefined && { download })}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
