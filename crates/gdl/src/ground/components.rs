//! Strongly connected components, without recursion.

/// Numbers the strongly connected components of a graph so that every edge leads to a component with the
/// same or a smaller number: users come after what they use.
pub(crate) fn components(nodes: usize, mut edges: impl FnMut(usize, &mut Vec<u32>)) -> Vec<u32> {
    const NEW: u32 = u32::MAX;
    let mut order = vec![NEW; nodes];
    let mut low = vec![0u32; nodes];
    let mut component = vec![NEW; nodes];
    let mut stack: Vec<u32> = Vec::new();
    let mut calls: Vec<(u32, usize, usize)> = Vec::new();
    let mut targets: Vec<u32> = Vec::new();
    let (mut time, mut found) = (0u32, 0u32);
    for root in 0..nodes {
        if order[root] != NEW {
            continue;
        }
        let mut enter = Some(root as u32);
        loop {
            if let Some(node) = enter.take() {
                order[node as usize] = time;
                low[node as usize] = time;
                time += 1;
                stack.push(node);
                let base = targets.len();
                edges(node as usize, &mut targets);
                calls.push((node, base, base));
            }
            let Some(top) = calls.last_mut() else { break };
            let (node, base, at) = *top;
            if at < targets.len() {
                top.2 += 1;
                let target = targets[at];
                if order[target as usize] == NEW {
                    enter = Some(target);
                } else if component[target as usize] == NEW {
                    low[node as usize] = low[node as usize].min(order[target as usize]);
                }
                continue;
            }
            targets.truncate(base);
            calls.pop();
            if low[node as usize] == order[node as usize] {
                while let Some(member) = stack.pop() {
                    component[member as usize] = found;
                    if member == node {
                        break;
                    }
                }
                found += 1;
            }
            if let Some((parent, _, _)) = calls.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[node as usize]);
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn cycles_share_a_number_and_users_come_later() {
        let graph: [&[u32]; 5] = [&[1], &[2], &[1, 3], &[], &[0, 4]];
        let found = components(5, |n, out| out.extend_from_slice(graph[n]));
        assert_eq!(found[1], found[2]);
        assert!(found[3] < found[1] && found[1] < found[0] && found[0] < found[4]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let n = 300_000;
        let found = components(n, |i, out| {
            if i + 1 < n {
                out.push(i as u32 + 1);
            }
        });
        assert_eq!(found[n - 1], 0);
    }
}
