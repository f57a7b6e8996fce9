"""Random keys over views in every direction: what is read, what writing leaves in the array and in the view."""
import numpy as np, random
random.seed(1)
def key(shape):
    k=[]
    i=0
    adv=False
    while i<len(shape):
        r=random.random()
        n=shape[i]
        if r<.3: k.append(slice(random.choice([None,-5,-1,0,1,2]),random.choice([None,-2,0,1,3,9]),random.choice([None,1,2,-1,-2,3]))); i+=1
        elif r<.45: k.append(random.randrange(-n,n)); i+=1
        elif r<.55: k.append(None)
        elif r<.7: k.append(np.array([random.randrange(-n,n) for _ in range(2)])); i+=1
        elif r<.78: k.append(np.array([random.random()<.5 for _ in range(n)])); i+=1
        elif r<.85 and Ellipsis not in [x for x in k if x is Ellipsis]: k.append(Ellipsis); i+=random.choice([0,1])
        else: break
    return tuple(k)
for case in range(120):
    shape=tuple(random.randrange(1,5) for _ in range(random.randrange(1,4)))
    a=np.arange(int(np.prod(shape))).reshape(shape)
    b=a[tuple(slice(None,None,random.choice([1,-1])) for _ in shape)]
    if random.random()<.3: b=b.T
    k=key(b.shape)
    try:
        r=b[k]
        print(case, np.asarray(r).shape, np.asarray(r).ravel().tolist())
        if random.random()<.7:
            b[k]=random.choice([-1, np.asarray(r)*0-7, np.arange(np.asarray(r).size).reshape(np.asarray(r).shape)])
            print(a.ravel().tolist(), b.ravel().tolist())
        if isinstance(r,np.ndarray) and r.ndim and not any(isinstance(x,np.ndarray) for x in k):
            r+=100
            print(a.ravel().tolist())
    except (IndexError, ValueError) as e:
        print(case, type(e).__name__)
