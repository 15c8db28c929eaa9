/** Linux file system types (`statfs`) whose locks or shared memory do not hold between machines. */
const BY_TYPE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x564c, 'ncp'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'kafs'],
  [0x73757245, 'coda'],
  [0x01021997, '9p'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x01161970, 'gfs2'],
  [0x7461636f, 'ocfs2'],
  [0x47504653, 'gpfs'],
  [0xaad7aaea, 'panfs'],
  [0x19830326, 'beegfs'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
]);

const FUSE = 0x65735546;

/** FUSE programs that use a network. Container overlays and local disks behind FUSE are allowed. */
const NETWORK_FUSE: ReadonlySet<string> = new Set(
  'sshfs rclone s3fs gcsfuse glusterfs ceph ceph-fuse davfs curlftpfs juicefs goofys blobfuse blobfuse2 mfs'
    .split(' ')
    .map((program) => `fuse.${program}`),
);

/**
 * The name of the network file system for a `statfs` type. Null for any other type. All FUSE programs have the same
 * type, so the name of the mount decides there.
 */
export function networkFileSystem(type: number, mountName: () => string | null): string | null {
  const unsigned = type >>> 0;
  if (unsigned !== FUSE) return BY_TYPE.get(unsigned) ?? null;
  const name = mountName();
  return name !== null && NETWORK_FUSE.has(name) ? name : null;
}

/** File system name of the mount that holds the path, from the text of `/proc/self/mountinfo`. */
export function mountNameOf(mountinfo: string, path: string): string | null {
  let best: { point: string; name: string } | null = null;
  for (const line of mountinfo.split('\n')) {
    const [before, after] = line.split(' - ');
    const point = before?.split(' ')[4]?.replaceAll('\\040', ' ');
    const name = after?.split(' ')[0];
    if (!point || !name) continue;
    const holds = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    if (holds && point.length >= (best?.point.length ?? 0)) best = { point, name };
  }
  return best?.name ?? null;
}
